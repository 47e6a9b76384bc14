@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

@testable import GPSDSource

/// The source beside a gpsd that follows a script: connections that fail, and what is told and done about it.
@Suite(.timeLimit(.minutes(10))) struct ReconnectionTests {
    @Test(arguments: ["end", "reset"]) func aLostConnectionIsOpenedAnew(how: String) async throws {
        let gpsd = try ScriptedGPSD.listening()
        let log = EventLog()
        let source = GPSDSource(endpoint: GPSDEndpoint(port: gpsd.port))
        async let _ = source.run(deliver: log.deliver)
        for _ in 0..<3 {
            let visit = try await gpsd.streamingVisit(devices: Line.device)
            try await visit.send(Line.fullTPV)
            #expect(try await log.fix().source.device == Line.device)
            if how == "end" { visit.close() } else { visit.reset() }
            #expect(
                try await log.reasonToConnect().contains("127.0.0.1:\(gpsd.port) closed the connection: it has ended"))
        }
        #expect(source.counters["connectionFailures"] == 3)
    }

    @Test func aRefusedConnectionIsTriedUntilItSucceeds() async throws {
        let gpsd = try ScriptedGPSD()
        let log = EventLog()
        let source = GPSDSource(endpoint: GPSDEndpoint(port: gpsd.port))
        async let _ = source.run(deliver: log.deliver)
        let condition = try await log.condition("unavailability") { if case .unavailable = $0 { true } else { false } }
        #expect(condition.reason?.contains("nothing listens on 127.0.0.1:\(gpsd.port)") == true)
        #expect(source.counters["connectionFailures", default: 0] >= 3)
        // The same reason is not told twice.
        #expect(log.events.count == 3)
        try gpsd.listen()
        let visit = try await gpsd.streamingVisit(devices: Line.device)
        try await visit.send(Line.fullTPV)
        _ = try await log.condition("the connection") { $0 == .connected(reason: nil) }
        #expect(try await log.fix().source.device == Line.device)
    }

    @Test func aNameThatIsNotFoundIsToldAsSuch() async throws {
        let log = EventLog()
        let source = GPSDSource(endpoint: GPSDEndpoint(host: "no-such-host.invalid"))
        async let _ = source.run(deliver: log.deliver)
        let reason = try await log.reasonToConnect()
        #expect(reason.contains("the host name no-such-host.invalid was not found"))
        #expect(reason.contains("`host`"))
    }

    @Test func the65thClientLearnsWhy() async throws {
        let gpsd = try ScriptedGPSD.listening()
        let log = EventLog()
        let source = GPSDSource(endpoint: GPSDEndpoint(port: gpsd.port))
        async let _ = source.run(deliver: log.deliver)
        for _ in 0..<3 { try await gpsd.visit().close() }
        let condition = try await log.condition("unavailability") { if case .unavailable = $0 { true } else { false } }
        #expect(condition.reason?.contains("64 clients") == true)
    }

    @Test func anotherServiceIsNotGPSD() async throws {
        let gpsd = try ScriptedGPSD.listening()
        let log = EventLog()
        let source = GPSDSource(endpoint: GPSDEndpoint(port: gpsd.port))
        async let _ = source.run(deliver: log.deliver)
        let visit = try await gpsd.visit()
        try await visit.send("SSH-2.0-OpenSSH_9.2p1 Debian-2")
        #expect(try await log.reasonToConnect().contains("does not use gpsd's protocol"))
        try await visit.end()
    }

    @Test func aRefusedRequestIsToldInGpsdsWords() async throws {
        let gpsd = try ScriptedGPSD.listening()
        let log = EventLog()
        let source = GPSDSource(endpoint: GPSDEndpoint(port: gpsd.port, device: "/dev/none"))
        async let _ = source.run(deliver: log.deliver)
        let visit = try await gpsd.visit()
        try await visit.send(Line.version)
        try await visit.send(#"{"class":"ERROR","message":"No such device as /dev/none"}"#)
        let reason = try await log.reasonToConnect()
        #expect(reason.contains("No such device as /dev/none"))
        #expect(reason.contains("`device`"))
        try await visit.end()
    }

    @Test func aSilentConnectionIsOpenedAnew() async throws {
        let gpsd = try ScriptedGPSD.listening()
        let log = EventLog()
        // Within that the second connection has to report, on a busy machine too.
        let source = GPSDSource(endpoint: GPSDEndpoint(port: gpsd.port), silenceTimeout: 5)
        async let _ = source.run(deliver: log.deliver)
        let silent = try await gpsd.streamingVisit(devices: "/dev/a", "/dev/b")
        #expect(try await log.reason().contains("sent nothing for 5 s; is /dev/a, /dev/b powered"))
        try await silent.end()
        let next = try await gpsd.streamingVisit(devices: "/dev/a")
        try await next.send(Line.fullTPV)
        #expect(try await log.fix().source.device == Line.device)
        // That it was connected to once more says nothing; only a report clears the reason.
        let conditions = log.events.compactMap { if case .condition(let condition) = $0 { condition } else { nil } }
        #expect(conditions.count { $0.reason == nil } <= 3)
        #expect(!conditions.contains { if case .unavailable = $0 { true } else { false } })
    }

    @Test func garbageDoesNotHideSilence() async throws {
        let gpsd = try ScriptedGPSD.listening()
        let log = EventLog()
        let source = GPSDSource(endpoint: GPSDEndpoint(port: gpsd.port), silenceTimeout: 1)
        async let _ = source.run(deliver: log.deliver)
        let visit = try await gpsd.streamingVisit()
        // Until the connection is closed, when sending fails.
        await #expect(throws: Failure.self) {
            for _ in 0..<10_000 {
                try await visit.send("noise")
                try await Task.sleep(for: .milliseconds(5))
            }
        }
        #expect(try await log.reason().contains("has no receiver; plug one in"))
        #expect(try await log.reason().contains("has no receiver and sent nothing for 1 s"))
        let isConnected = { (event: SourceEvent) in if case .condition(.connected) = event { true } else { false } }
        #expect(!log.events.contains(where: isConnected), "\(log.events)")
    }
}
