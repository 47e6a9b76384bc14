import Authorization
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import LocationServer
import ProgramTestSupport
import ServerDoubles
import Testing

/// Full accuracy for a while: requested, decided, told, and over at its end.
@Suite(.timeLimit(.minutes(10)), .enabled(if: OtherUserClients.isPossible, "becoming other users takes root"))
struct TermTests {
    private typealias Ask = LocationInterface.Method
    private typealias Admin = AdminInterface.Method
    private static let principal = "uid:\(OtherUserClients.uid)"

    private func status(_ message: Message) throws -> ServiceStatus {
        try message.parameters(as: StatusReply.self).status
    }

    private func decide(_ server: TestServer, _ more: String) async throws -> Message {
        try await server.connect(.control).call(
            Admin.setAuthorization, #"{"principal":"\#(Self.principal)",\#(more)}"#)
    }

    private func stranger(of server: TestServer) async throws -> WireClient {
        server.keep(try #require(await OtherUserClients.connect(to: server.locationPath).first))
    }

    /// Reads until the watch has a status that fits.
    private func awaitStatus(
        _ client: WireClient, _ fits: (ServiceStatus) -> Bool
    ) async throws -> ServiceStatus {
        while true {
            let reply = try await client.message().parameters(as: WatchReply.self)
            if let status = reply.status, fits(status) { return status }
        }
    }

    @Test func requestIsPendingGrantedForAWhileAndEnds() async throws {
        let records = ValueRecorder<AuditRecord>()
        let tables = ValueRecorder<DecisionTable>()
        try await TestServer.run {
            $0.hooks.onRecord = { records.append($0) }
            $0.hooks.onDecisionsSoon = { tables.append($0) }
            var chance = SeededGenerator(seed: 7)
            $0.reduction = ReducedAccuracy(grid: AccuracyGrid(), displacement: .random(using: &chance))
        } _: { server in
            #expect(try await decide(server, #""authorization":"authorizedAlways","accuracy":"reduced""#).error == nil)
            let watcher = try await stranger(of: server)
            try await watcher.send(Ask.watch, #"{}"#, flags: "\"more\":true")
            let opening = try await awaitStatus(watcher) { _ in true }
            #expect(opening.fullAccuracyPending == nil)
            let asker = try await stranger(of: server)
            try await asker.send(
                Ask.requestAuthorization, #"{"level":"whenInUse","fullAccuracy":true,"purpose":"the bus stop"}"#,
                flags: "\"more\":true")
            let first = try await asker.message()
            #expect(try first.continues && status(first).fullAccuracyPending == true)
            #expect(try !status(first).authorizationPending && status(first).accuracy == .reduced)
            _ = try await awaitStatus(watcher) { $0.fullAccuracyPending == true }
            let listed = try await server.connect(.control).call(Admin.listAuthorizations)
                .parameters(as: AuthorizationList.self).authorizations.first
            #expect(listed?.pending == true && listed?.fullAccuracy == true && listed?.purpose == "the bus stop")

            #expect(
                try await decide(server, #""authorization":"unchanged","accuracy":"full","duration":1.5"#).error == nil)
            let last = try await asker.message()
            #expect(try !last.continues && status(last).accuracy == .full)
            #expect(try status(last).authorization == .authorizedAlways)
            let remaining = try #require(try status(last).authorizationRemaining)
            #expect((0...1.5).contains(remaining))
            let granted = try await awaitStatus(watcher) { $0.accuracy == .full }
            #expect(granted.authorizationRemaining != nil && granted.fullAccuracyPending == nil)
            try server.post(fix: 1)
            let ended = try await awaitStatus(watcher) { $0.accuracy == .reduced }
            #expect(ended.authorization == .authorizedAlways && ended.authorizationRemaining == nil)
            #expect(ended.fullAccuracyPending == nil, "it was answered")
            #expect(tables.values.last?.entries.values.contains { $0.temporary != nil } == false)
        }
        let requests = records.values.filter { $0.event == .requested }
        #expect(requests.map(\.accuracy) == [.full] && requests.map(\.purpose) == ["the bus stop"])
        let mine = records.values.filter { $0.principal == Self.principal && $0.pid == nil }
        #expect(mine.map(\.event) == [.granted, .granted, .ended])
        #expect(mine.map(\.accuracy) == [.reduced, .full, .reduced])
        #expect(mine.map(\.duration) == [nil, 1.5, nil])
    }

    @Test func reducedDecisionIsTheRefusal() async throws {
        try await TestServer.run { server in
            _ = try await decide(server, #""authorization":"authorizedWhenInUse","accuracy":"reduced""#)
            let asker = try await stranger(of: server)
            let parameters = #"{"level":"whenInUse","fullAccuracy":true}"#
            try await asker.send(Ask.requestAuthorization, parameters, flags: "\"more\":true")
            #expect(try await asker.message().continues)
            _ = try await decide(server, #""authorization":"unchanged","accuracy":"reduced""#)
            let last = try await asker.message()
            #expect(try !last.continues && status(last).accuracy == .reduced)
            #expect(try status(last).authorization == .authorizedWhenInUse && status(last).fullAccuracyPending == nil)
        }
    }

    @Test func accuracyThatARuleReducesCannotBeRequested() async throws {
        try await TestServer.run {
            $0.settings.policy.rules = [
                PolicyRule(.uid(OtherUserClients.uid), .authorizedAlways, accuracy: .reduced, origin: "policy.toml:3")
            ]
        } _: { server in
            let asker = try await stranger(of: server)
            try await asker.send(
                Ask.requestAuthorization, #"{"level":"whenInUse","fullAccuracy":true}"#, flags: "\"more\":true")
            let reply = try await asker.message()
            #expect(try !reply.continues && status(reply).accuracy == .reduced)
            #expect(try status(reply).fullAccuracyPending == nil)
            let refusal = try await decide(server, #""authorization":"authorizedAlways","duration":60"#)
            #expect(refusal.error == AdminInterface.Failure.failed)
            #expect(try refusal.explained.reason?.contains("policy.toml:3") == true)
        }
    }

    @Test func termOfAFirstGrantEndsUndecided() async throws {
        try await TestServer.run { server in
            let watcher = try await stranger(of: server)
            try await watcher.send(Ask.watch, #"{}"#, flags: "\"more\":true")
            let opening = try await awaitStatus(watcher) { _ in true }
            #expect(opening.authorization == .notDetermined)
            _ = try await decide(server, #""authorization":"authorizedAlways","duration":0.5"#)
            _ = try await awaitStatus(watcher) { $0.authorization == .authorizedAlways }
            _ = try await awaitStatus(watcher) { $0.authorization == .notDetermined }
            let list = try await server.connect(.control).call(Admin.listAuthorizations)
                .parameters(as: AuthorizationList.self)
            #expect(list.authorizations.isEmpty)
        }
    }

    @Test(arguments: [
        (#""authorization":"authorizedAlways","duration":0"#, "org.varlink.service.InvalidParameter"),
        (#""authorization":"authorizedAlways","duration":-5"#, "org.varlink.service.InvalidParameter"),
        (#""authorization":"authorizedAlways","duration":31536001"#, "org.varlink.service.InvalidParameter"),
        (#""authorization":"authorizedAlways","duration":"1h""#, "org.varlink.service.InvalidParameter"),
        (#""authorization":"denied","duration":60"#, "org.varlink.service.InvalidParameter"),
        (#""authorization":"unchanged""#, "org.locationd.admin.Failed"),
    ])
    func impossibleTermsAreRefused(parameters: String, error: String) async throws {
        try await TestServer.run { server in
            let reply = try await decide(server, parameters)
            #expect(reply.error == error)
        }
    }
}
