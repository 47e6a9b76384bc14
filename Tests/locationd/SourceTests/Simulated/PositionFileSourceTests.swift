import Foundation
import Glibc
@_spi(Programs) import LocationModel
import ProgramTestSupport
@_spi(Programs) import SystemSupport
import Testing

@testable import SimulatedSource

/// A position in a file is told, and what becomes of the file.
@Suite(.timeLimit(.minutes(10)))
struct PositionFileSourceTests {
    private let folder: TemporaryFolder
    private var path: String { folder("geolocation") }

    init() throws { folder = try TemporaryFolder() }

    /// Runs the source beside `body`, which gets what it tells, and ends it.
    private func follow(
        _ text: String?, every interval: Double = 3600, at path: String? = nil,
        _ body: (AsyncStream<SourceEvent>) async throws -> Void
    ) async throws {
        if let text { try replace(text) }
        let source = PositionFileSource(path: path ?? self.path, interval: interval, clock: { MachineClock.now })
        let (events, continuation) = AsyncStream.makeStream(of: SourceEvent.self)
        let running = Task {
            await source.run { continuation.yield($0) }
            continuation.finish()
        }
        do {
            try await body(events)
        } catch {
            running.cancel()
            throw error
        }
        running.cancel()
        await running.value
    }

    private func replace(_ text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    }

    private func next(_ events: AsyncStream<SourceEvent>) async -> SourceEvent? {
        var iterator = events.makeAsyncIterator()
        return await iterator.next()
    }

    private func awaitFix(_ events: AsyncStream<SourceEvent>, north latitude: Double) async -> Location? {
        while let event = await next(events) {
            if case .fix(let fix) = event, fix.coordinate.latitude == latitude { return fix }
        }
        return nil
    }

    private func awaitReason(_ events: AsyncStream<SourceEvent>, _ words: String) async -> [SourceEvent] {
        var seen: [SourceEvent] = []
        while let event = await next(events) {
            seen.append(event)
            if case .condition(.unavailable(let reason)) = event, reason.contains(words) { break }
        }
        return seen
    }

    @Test func positionIsToldAsItStands() async throws {
        try await follow("48.8584\n2.2945\n35\n10\n") { events in
            #expect(await next(events) == .condition(.connected(reason: nil)))
            let fix = try #require(await awaitFix(events, north: 48.8584))
            #expect(fix.coordinate.longitude == 2.2945 && fix.altitude == 35 && fix.horizontalAccuracy == 10)
            #expect(fix.mode == .threeDimensional && fix.timestamp == nil)
            #expect(fix.source == SourceInformation(name: "static-file", method: .fixedPosition))
        }
    }

    @Test func positionIsToldAgainAndAgain() async throws {
        try await follow("48\n2\n", every: 0.01) { events in
            var last = BootInstant(seconds: 0)
            for _ in 0..<5 {
                let fix = try #require(await awaitFix(events, north: 48))
                #expect(fix.monotonicTime > last && fix.mode == .twoDimensional)
                last = fix.monotonicTime
            }
        }
    }

    /// The interval is an hour: only the watch on the file can tell.
    @Test func changeIsToldAtOnceHoweverItIsMade() async throws {
        try await follow("48\n2\n") { events in
            _ = await awaitFix(events, north: 48)
            try replace("49\n2\n")
            #expect(await awaitFix(events, north: 49) != nil, "replaced by renaming")
            try Data("50\n2\n".utf8).write(to: URL(fileURLWithPath: path))
            #expect(await awaitFix(events, north: 50) != nil, "written in place")
            unlink(path)
            _ = await awaitReason(events, "there is no \(path)")
            #expect(await next(events) == .noFix(device: nil))
            try replace("51\n2\n")
            #expect(await next(events) == .condition(.connected(reason: nil)))
            #expect(await awaitFix(events, north: 51) != nil, "it is back")
        }
    }

    @Test func mistakeWithdrawsThePositionAndNamesTheLine() async throws {
        try await follow("48\n2\n") { events in
            _ = await awaitFix(events, north: 48)
            try replace("# moved\n49\neast\n")
            let seen = await awaitReason(events, "\(path):3: the longitude")
            #expect(await next(events) == .noFix(device: nil), "where it was is not known to be true any more")
            let words = "\(seen)".replacing(path, with: "")
            #expect(!words.contains("49"), "who may not know the position is told the reason too")
            try replace("49\n2\n")
            #expect(await awaitFix(events, north: 49) != nil)
        }
    }

    @Test func missingDirectoryIsLookedForNowAndThen() async throws {
        let path = folder("late/geolocation")
        try await follow(nil, every: 0.01, at: path) { events in
            _ = await awaitReason(events, "there is no \(path)")
            mkdir(folder("late"), 0o700)
            try Data("52\n13\n".utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
            #expect(await awaitFix(events, north: 52) != nil)
        }
    }

    /// A reload replaces all sources once the former ones have ended.
    @Test func diskThatDoesNotAnswerHoldsUpNoReload() async throws {
        let disk = DispatchSemaphore(value: 0)
        let (reads, reading) = AsyncStream.makeStream(of: Void.self)
        let (events, continuation) = AsyncStream.makeStream(of: SourceEvent.self)
        let position = try WrittenPosition(parsing: Array("48\n2\n".utf8))
        let source = PositionFileSource(name: "far", path: "/far", interval: 3600, clock: { MachineClock.now }) { _ in
            reading.yield()
            disk.wait()
            return .success(position)
        }
        func run() -> Task<Void, Never> { Task { await source.run { continuation.yield($0) } } }
        let first = run()
        for await _ in reads { break }
        first.cancel()
        await first.value
        let second = run()
        let words = "the disk of /far does not respond; the daemon keeps waiting"
        #expect(await next(events) == .condition(.unavailable(reason: words)))
        // Neither who was left behind nor who follows tells anything before the disk answers the latter.
        disk.signal()
        for await _ in reads { break }
        disk.signal()
        #expect(await next(events) == .condition(.connected(reason: nil)))
        #expect(await awaitFix(events, north: 48) != nil)
        second.cancel()
        await second.value
    }

    @Test(arguments: ["directory", "fifo", "large"])
    func whatIsNoSmallFileIsRefused(_ kind: String) async throws {
        switch kind {
        case "directory": mkdir(path, 0o700)
        case "fifo": mkfifo(path, 0o600)
        default: try replace("48\n2\n" + String(repeating: "#", count: 70_000))
        }
        try await follow(nil) { events in
            guard case .condition(.unavailable(let reason)) = await next(events) else {
                Issue.record("it is told why there is no position")
                return
            }
            #expect(reason.contains(path))
            #expect(reason.contains(kind == "large" ? "is larger than 65536 bytes" : "is not a regular file"))
        }
    }
}
