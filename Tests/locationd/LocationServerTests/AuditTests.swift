import Authorization
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import LocationServer
import ProgramTestSupport
import ServerDoubles
import Testing

/// What the server has noted for the audit.
@Suite(.timeLimit(.minutes(10)), .enabled(if: OtherUserClients.isPossible, "becoming other users takes root"))
struct AuditTests {
    private typealias Ask = LocationInterface.Method
    private typealias Admin = AdminInterface.Method

    private func noted(_ body: (TestServer) async throws -> Void) async throws -> [AuditRecord] {
        let notes = ValueRecorder<AuditRecord>()
        try await TestServer.run {
            $0.hooks.onRecord = { notes.append($0) }
        } _: { server in
            try await body(server)
        }
        return notes.values.filter { $0.principal == "uid:65533" }
    }

    private func stranger(_ server: TestServer) async throws -> WireClient {
        server.keep(try #require(await OtherUserClients.connect(to: server.locationPath).first))
    }

    private func decide(_ answer: String, _ server: TestServer) async throws {
        let reply = try await server.connect(.control).call(
            Admin.setAuthorization, #"{"principal":"uid:65533","authorization":"\#(answer)"}"#)
        #expect(reply.error == nil)
    }

    @Test func eachThingIsNotedOnce() async throws {
        let records = try await noted { server in
            let stranger = try await stranger(server)
            for _ in 1...3 { _ = try await stranger.call(Ask.getLocation) }
            for _ in 1...3 {
                _ = try await stranger.call(Ask.requestAuthorization, #"{"level":"always","purpose":"p"}"#)
            }
            try await decide("authorizedAlways", server)
            try await stranger.send(Ask.watch, "{}", flags: "\"more\":true")
            // A fix that comes before the watch is nobody's.
            #expect(try await stranger.message().update.location == nil)
            for number in 1...5 {
                try server.post(fix: number)
                _ = try await stranger.location()
            }
            try await decide("denied", server)
            try await decide("denied", server)
        }
        #expect(records.map(\.event) == [.refused, .requested, .granted, .delivered, .revoked, .refused])
        #expect(records[0].uid == 65_533 && records[0].pid != nil && records[0].authorization == .notDetermined)
        #expect(records[1].purpose == "p" && records[1].authorization == .authorizedAlways)
        #expect(records[2].by == "uid:0" && records[2].accuracy == .full)
        #expect(records[4].by == "uid:0")
    }

    @Test func requestAfterAResetOnTheSameDayIsNoted() async throws {
        let records = try await noted { server in
            let stranger = try await stranger(server)
            for _ in 1...3 {
                for _ in 1...2 { _ = try await stranger.call(Ask.requestAuthorization, #"{"level":"always"}"#) }
                let reply = try await server.connect(.control).call(
                    Admin.resetAuthorization, #"{"principal":"uid:65533"}"#)
                #expect(reply.error == nil)
            }
        }
        #expect(records.map(\.event) == [.requested, .reset, .requested, .reset, .requested, .reset])
    }

    @Test func summaryTellsHowManyRequestsWait() async throws {
        let (summaries, told) = AsyncStream.makeStream(of: [Int].self)
        try await TestServer.run {
            $0.settings.summaryInterval = 0
            $0.hooks.summary = { told.yield([$0.clients, $0.waitingRequests]) }
        } _: { server in
            // The connections are told of first, so that nothing but the requests and decisions causes a summary.
            func until(_ clients: Int, waiting: Int) async {
                for await next in summaries where next == [clients, waiting] { return }
            }
            let stranger = try await stranger(server)
            let other = server.keep(
                try #require(await OtherUserClients.connect(to: server.locationPath, uid: 65_532).first))
            let control = try server.connect(.control)
            await until(3, waiting: 0)
            _ = try await stranger.call(Ask.requestAuthorization, #"{"level":"always"}"#)
            await until(3, waiting: 1)
            _ = try await other.call(Ask.requestAuthorization, #"{"level":"always"}"#)
            await until(3, waiting: 2)
            _ = try await control.call(
                Admin.setAuthorization, #"{"principal":"uid:65533","authorization":"denied"}"#)
            await until(3, waiting: 1)
            _ = try await control.call(Admin.resetAuthorization, #"{"principal":"uid:65532"}"#)
            await until(3, waiting: 0)
        }
    }

    @Test func positionInAnErrorIsADelivery() async throws {
        let records = try await noted { server in
            let watch = try await server.watcher(isFirst: true)
            try server.post(fix: 1)
            _ = try await watch.location()
            try await decide("authorizedAlways", server)
            let reply = try await stranger(server).call(Ask.getLocation, #"{"requiredAccuracy":0.001,"timeout":0}"#)
            #expect(reply.text.contains("latitude"))
        }
        #expect(records.map(\.event) == [.granted, .delivered])
    }

    @Test func purposesDoNotFillTheHistory() async throws {
        let records = try await noted { server in
            let stranger = try await stranger(server)
            for number in 1...50 {
                _ = try await stranger.call(Ask.requestAuthorization, #"{"level":"always","purpose":"\#(number)"}"#)
            }
        }
        #expect(records.count == 1)
    }

    @Test func policyThatTakesOrGivesIsNoted() async throws {
        let records = try await noted { server in
            let clients = [try await stranger(server), try await stranger(server)]
            for stranger in clients { _ = try await stranger.call(Ask.getStatus) }
            for outcome in [PolicyRule.Outcome.authorizedAlways, .authorizedAlways, .restricted] {
                try await server.server.apply { settings in
                    settings.policy.rules = [PolicyRule(.uid(OtherUserClients.uid), outcome, origin: "policy.toml:1")]
                }
            }
        }
        #expect(records.map(\.event) == [.granted, .revoked])
        #expect(records.allSatisfy { $0.by == "the policy" })
    }

    @Test func historyIsAnswered() async throws {
        let record = AuditRecord(.delivered, principal: "uid:7", time: .init(seconds: 1_767_225_600))
        try await TestServer.run {
            $0.hooks.records = { $0.limit == 3 ? [record] : [] }
        } _: { server in
            let control = try server.connect(.control)
            let reply = try await control.call(Admin.getHistory, #"{"limit":3}"#)
            #expect(try reply.parameters(as: AuditReply.self).records == [record])
            for limit in [0, -1, 10_001] {
                let refusal = try await control.call(Admin.getHistory, #"{"limit":\#(limit)}"#)
                #expect(refusal.error == "org.varlink.service.InvalidParameter")
            }
        }
    }

    @Test func tooManyCallsAreAnsweredAndTheConnectionGoesOn() async throws {
        try await TestServer.run {
            $0.settings.limits.requestsPerSecond = 2
        } _: { server in
            let stranger = try await stranger(server)
            // All in one go, lest a busy machine make them rare.
            let calls = String(repeating: "{\"method\":\"\(Ask.getStatus)\"}\0", count: 8)
            try await stranger.send(bytes: Array(calls.utf8))
            var refused = 0
            for _ in 1...8 where try await stranger.message().error == LocationInterface.Failure.tooManyRequests {
                refused += 1
            }
            #expect(refused > 0)
            let other = server.keep(
                try #require(await OtherUserClients.connect(to: server.locationPath, uid: 65_532).first))
            #expect(try await other.call(Ask.getStatus).error == nil)
            while try await stranger.call(Ask.getStatus).error != nil {}
        }
    }
}
