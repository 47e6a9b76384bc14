import Foundation
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Synchronization
import Testing

@testable import GPSDSource

/// Cancelling the task releases what a run has opened: the connection, which powers the receiver, and the thread.
@Suite(.timeLimit(.minutes(10))) struct EndTests {
    /// A run that is not told to end goes on for ever; a busy machine may take seconds to tell it.
    private static let promptly = Duration.seconds(60)

    /// Cancels a run and checks that it ends soon.
    private func end(_ run: Task<Void, Never>) async {
        let clock = ContinuousClock()
        let start = clock.now
        run.cancel()
        await run.value
        #expect(clock.now - start < Self.promptly)
    }

    @Test(arguments: ["greeting", "watching", "streaming"]) func theConnectionIsClosedWherever(phase: String)
        async throws
    {
        let gpsd = try ScriptedGPSD.listening()
        let source = GPSDSource(endpoint: GPSDEndpoint(port: gpsd.port))
        let run = Task { await source.run { _ in } }
        let visit: Visit
        switch phase {
        case "streaming": visit = try await gpsd.streamingVisit(devices: Line.device)
        default: visit = try await gpsd.visit()
        }
        if phase == "watching" {
            try await visit.send(Line.version)
            _ = try await visit.line()
        }
        await end(run)
        try await visit.end()
    }

    @Test func aWaitBetweenTriesEndsToo() async throws {
        let gpsd = try ScriptedGPSD()
        let log = EventLog()
        let source = GPSDSource(endpoint: GPSDEndpoint(port: gpsd.port))
        let run = Task { await source.run(deliver: log.deliver) }
        _ = try await log.condition("unavailability") { if case .unavailable = $0 { true } else { false } }
        await end(run)
        let told = log.events.count
        try gpsd.listen()
        await #expect(throws: Failure.self) { _ = try await gpsd.visit(within: 1.5) }
        #expect(log.events.count == told)
    }

    @Test func aRunThatIsCancelledBeforehandOpensNothing() async throws {
        let gpsd = try ScriptedGPSD.listening()
        let source = GPSDSource(endpoint: GPSDEndpoint(port: gpsd.port))
        let run = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await source.run { _ in }
        }
        await end(run)
        await #expect(throws: Failure.self) { _ = try await gpsd.visit(within: 0.2) }
    }

    @Test func theThreadEndsWithTheRun() async throws {
        let gpsd = try ScriptedGPSD.listening()
        let source = GPSDSource(endpoint: GPSDEndpoint(port: gpsd.port))
        let log = EventLog()
        let thread = Mutex<String?>(nil)
        let run = Task {
            await source.run { event in
                // The link of the thread that delivers, such as `4711/task/4712`.
                let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
                thread.withLock { $0 = link }
                log.deliver(event)
            }
        }
        let visit = try await gpsd.streamingVisit(devices: Line.device)
        try await visit.send(Line.fullTPV)
        _ = try await log.fix()
        let name = "/proc/" + (try #require(thread.withLock { $0 })) + "/comm"
        #expect(try String(contentsOfFile: name, encoding: .utf8) == "gps-reader\n")
        await end(run)
        // Its last act is to say that the run is over; the kernel needs a moment more.
        let clock = ContinuousClock()
        let deadline = clock.now + Self.promptly
        while FileManager.default.fileExists(atPath: name), clock.now < deadline { await Task.yield() }
        #expect(!FileManager.default.fileExists(atPath: name))
    }

    @Test func aSourceRunsAgainAndGoesOnCounting() async throws {
        let gpsd = try ScriptedGPSD.listening()
        let source = GPSDSource(endpoint: GPSDEndpoint(port: gpsd.port))
        for turn in 1...3 {
            let log = EventLog()
            let run = Task { await source.run(deliver: log.deliver) }
            let visit = try await gpsd.streamingVisit(devices: Line.device)
            try await visit.send("noise")
            try await visit.send(Line.fullTPV)
            _ = try await log.fix()
            await end(run)
            try await visit.end()
            #expect(source.counters == ["garbage": turn])
        }
    }
}
