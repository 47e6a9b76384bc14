import Authorization
import Glibc
import LocationFormats
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import LocationServer
import ProgramTestSupport
import Testing

/// The socket at which GeoClue reads.
@Suite(.timeLimit(.minutes(10)))
struct NMEASocketTests {
    private static let noFix = [
        "$GPGGA,,,,,,0,,,,,,,,*66", "$GPRMC,,V,,,,,,,,,,N*53", "$GPGSA,A,1,,,,,,,,,,,,,,,*1E",
    ]

    private func sentences(_ number: Int) throws -> [String] {
        NMEASentences.record(for: try Sample.fix(number)).split(separator: "\r\n").map(String.init)
    }

    /// The server with the bridge decided about.
    private func run(
        _ answer: Decision.Answer? = .authorizedAlways, _ change: (inout TestServer.Setup) -> Void = { _ in },
        _ body: (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.run(
            { setup in
                if let answer {
                    var table = DecisionTable()
                    table.decide(Decision(answer, by: "uid:0", time: UTCTime(seconds: 0)), about: .bridge(.nmea))
                    setup.decisions = .known(table)
                }
                change(&setup)
            }, body)
    }

    private func decide(_ answer: String, _ server: TestServer) async throws -> Message {
        try await server.connect(.control).call(
            AdminInterface.Method.setAuthorization, #"{"principal":"bridge:nmea","authorization":"\#(answer)"}"#)
    }

    @Test func connectionIsDemandAndGetsEveryFix() async throws {
        try await run { server in
            var demands = server.demands.makeAsyncIterator()
            let reader = try server.connect(.nmea)
            #expect(await demands.next() == true)
            #expect(try await reader.lines(3) == Self.noFix)
            for number in 1...3 {
                try server.post(fix: number)
                #expect(try await reader.lines(4) == sentences(number))
            }
            server.post(.noFix(device: "/dev/ttyACM0"))
            #expect(try await reader.lines(3) == Self.noFix)
            let late = try server.connect(.nmea)
            #expect(try await late.lines(3) == Self.noFix, "the last fix is not told again")
            await late.close()
            await reader.close()
            #expect(await demands.next() == false)
        }
    }

    /// Satellites are sent to a reader with full accuracy, and to no other.
    @Test(arguments: [Decision.Answer.authorizedAlways, .denied])
    func satellitesAreForWhoMayKnow(answer: Decision.Answer) async throws {
        try await run(answer) { server in
            let watch = try await server.watcher(#"{"satellites":true}"#, isFirst: true)
            let reader = try server.connect(.nmea)
            #expect(try await reader.lines(3) == Self.noFix)
            try server.post(fix: 1)
            _ = try await watch.location()
            server.post(.satellites([Satellite(gnss: "GPS", id: 7, used: true)], device: "/dev/ttyACM0", at: .present))
            try server.post(fix: 2)
            _ = try await watch.location()
            guard answer == .authorizedAlways else {
                async let stopped: Void = server.stop()
                #expect(try await reader.linesUntilEnd().isEmpty)
                await reader.close()
                return try await stopped
            }
            #expect(try await reader.lines(4) == sentences(1))
            #expect(try await reader.lines(1).first?.hasPrefix("$GPGSV,1,1,01,07,,,*") == true)
            let lines = try await reader.lines(4)
            #expect(try lines[0] == sentences(2)[0] && lines[2].hasPrefix("$GPGSA,A,3,07,,"))
        }
    }

    @Test func undecidedReaderIsRecordedAsOneWhoAsks() async throws {
        try await run(nil) { server in
            let watch = try await server.watcher(isFirst: true)
            let reader = try server.connect(.nmea)
            #expect(try await reader.lines(3) == Self.noFix)
            try server.post(fix: 1)
            _ = try await watch.location()
            let control = try server.connect(.control)
            let list = try await control.call(AdminInterface.Method.listAuthorizations)
                .parameters(as: AuthorizationList.self).authorizations
            #expect(list.map(\.principal) == ["bridge:nmea"])
            #expect(list.first?.pending == true && list.first?.level == .always && list.first?.connections == 1)
            let client = try #require(
                try await control.call(AdminInterface.Method.listClients).parameters(as: ClientList.self).clients
                    .first { $0.socket == .nmea })
            #expect(client.principal == "bridge:nmea" && client.request == "NMEA")
            #expect(client.pid == Int(getpid()) && client.sent == 1)

            #expect(try await decide("authorizedAlways", server).error == nil)
            #expect(try await decide("denied", server).error == nil)
            try server.post(fix: 2)
            _ = try await watch.location()
            #expect(try await decide("authorizedAlways", server).error == nil)
            try server.post(fix: 3)
            // What it may know between the decisions depends on what comes first; the second fix it may not.
            var lines: [String] = []
            while try lines.suffix(4) != sentences(3)[...] { lines += try await reader.lines(1) }
            #expect(try !lines.contains(sentences(2)[0]) || lines.contains(sentences(3)[0]))
        }
    }

    @Test func revocationIsNoFixAndStopsDemand() async throws {
        try await run { server in
            var demands = server.demands.makeAsyncIterator()
            let reader = try server.connect(.nmea)
            #expect(try await reader.lines(3) == Self.noFix)
            try server.post(fix: 1)
            #expect(try await reader.lines(4) == sentences(1))
            #expect(try await decide("denied", server).error == nil)
            #expect(try await reader.lines(3) == Self.noFix)
            #expect(await demands.next() == true)
            #expect(await demands.next() == false)
        }
    }

    @Test func bridgeIsNotAllowedWhileInUse() async throws {
        try await run { server in
            let refusal = try await decide("authorizedWhenInUse", server)
            #expect(refusal.error == AdminInterface.Failure.failed)
            #expect(try refusal.explained.reason?.contains("never logs in") == true)
        }
    }

    @Test func whatAReaderWritesIsThrownAwayAndTooMuchEndsIt() async throws {
        try await run { server in
            let reader = try server.connect(.nmea)
            #expect(try await reader.lines(3) == Self.noFix)
            try await reader.send(bytes: Array("{\"method\":\"org.varlink.service.GetInfo\"}\0$PUBX,40\r\n".utf8))
            try server.post(fix: 1)
            #expect(try await reader.lines(4) == sentences(1))
            await reader.endWriting()
            try server.post(fix: 2)
            #expect(try await reader.lines(4) == sentences(2), "who will write no more still reads")

            let flood = try server.connect(.nmea)
            _ = try? await flood.sendSome([UInt8](repeating: 65, count: 4 << 20), within: 10)
            #expect(try await flood.linesUntilEnd().allSatisfy { $0.contains("*") })
            try server.post(fix: 3)
            #expect(try await reader.lines(4) == sentences(3))
        }
    }

    @Test func stalledReaderFindsFewOldFixesThenTheNewest() async throws {
        try await run { server in
            let prompt = try server.connect(.nmea)
            #expect(try await prompt.lines(3) == Self.noFix)
            let stalled = try server.connect(.nmea)
            #expect(try await stalled.lines(3) == Self.noFix)
            let last = 600
            for number in 1...last {
                try server.post(fix: number)
                #expect(try await prompt.lines(4) == sentences(number))
            }
            var old = 0
            while case let lines = try await stalled.lines(4), try lines != sentences(last) {
                old += 1
                try #require(old <= 150)
                #expect(try lines == sentences(old))
            }
            #expect(old >= 20)
        }
    }

    @Test func stalledReaderIsLetGo() async throws {
        try await run(.authorizedAlways, { $0.settings.limits.stalledTimeout = 0.5 }) { server in
            let prompt = try await server.watcher(isFirst: true)
            let stalled = try server.connect(.nmea)
            #expect(try await stalled.lines(3) == Self.noFix)
            for number in 1...200 {
                try server.post(fix: number)
                _ = try await prompt.location()
            }
            try await allAreGone(server)
        }
    }

    @Test func readersThatLeaveAtOnceLeaveNothingBehind() async throws {
        try await run { server in
            for _ in 0..<100 { try await server.connect(.nmea).close() }
            try await allAreGone(server)
            let reader = try server.connect(.nmea)
            #expect(try await reader.lines(3) == Self.noFix)
        }
    }

    private func allAreGone(_ server: TestServer) async throws {
        let control = try server.connect(.control)
        try await eventually("every reader is let go") {
            try await !control.call(AdminInterface.Method.listClients).parameters(as: ClientList.self)
                .clients.contains { $0.socket == .nmea }
        }
    }

    @Test func endOfTheServiceIsNoFixThenTheEnd() async throws {
        try await run { server in
            let reader = try server.connect(.nmea)
            #expect(try await reader.lines(3) == Self.noFix)
            try server.post(fix: 1)
            #expect(try await reader.lines(4) == sentences(1))
            async let stopped: Void = server.stop()
            #expect(try await reader.linesUntilEnd() == Self.noFix)
            await reader.close()
            try await stopped
        }
    }
}
