import Authorization
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import LocationServer
import ProgramTestSupport
import ServerDoubles
import Testing

/// Asking to be let in, and what administrators decide.
@Suite(.timeLimit(.minutes(10)), .enabled(if: OtherUserClients.isPossible, "becoming other users takes root"))
struct RequestAuthorizationTests {
    private typealias Ask = LocationInterface.Method
    private typealias Admin = AdminInterface.Method

    private func status(_ message: Message) throws -> ServiceStatus {
        try message.parameters(as: StatusReply.self).status
    }

    @Test func firstReplyIsThePresentStateAndTheLastTheDecision() async throws {
        try await TestServer.run { server in
            let stranger = server.keep(try #require(await OtherUserClients.connect(to: server.locationPath).first))
            try await stranger.send(
                Ask.requestAuthorization, #"{"level":"always","purpose":"map\nof “ \u001b[31mme"}"#,
                flags: "\"more\":true")
            let first = try await stranger.message()
            #expect(first.continues)
            #expect(try status(first).authorization == .notDetermined)
            #expect(try status(first).authorizationPending)
            let control = try server.connect(.control)
            let asked = try await control.call(Admin.listAuthorizations).parameters(as: AuthorizationList.self)
                .authorizations
            #expect(asked.map(\.principal) == ["uid:\(OtherUserClients.uid)"])
            #expect(asked.first?.pending == true)
            #expect(asked.first?.level == .always)
            #expect(asked.first?.purpose == #"map\u{a}of ' \u{1b}[31mme"#)
            #expect(asked.first?.connections == 1)
            let change = try await control.call(
                Admin.setAuthorization, #"{"principal":"uid:65533","authorization":"authorizedAlways"}"#)
            #expect(
                try change.parameters(as: AuthorizationChange.self) == .init(principal: "uid:65533", connections: 1))
            let last = try await stranger.message()
            #expect(!last.continues)
            #expect(try status(last).authorization == .authorizedAlways)
            #expect(try !status(last).authorizationPending)
            let decided = try await control.call(Admin.listAuthorizations).parameters(as: AuthorizationList.self)
                .authorizations.first
            #expect(decided?.authorization == .authorizedAlways && decided?.decidedBy == "uid:0")
            #expect(decided?.pending == false && decided?.requestedAt != nil && decided?.decidedAt != nil)
        }
    }

    @Test func withoutMoreItIsRecordedAndAnswered() async throws {
        let kept = ValueRecorder<DecisionTable>()
        try await TestServer.run {
            $0.hooks.onDecisionsSoon = { kept.append($0) }
        } _: { server in
            let stranger = server.keep(try #require(await OtherUserClients.connect(to: server.locationPath).first))
            for _ in 1...3 {
                let reply = try await stranger.call(Ask.requestAuthorization, #"{"level":"whenInUse"}"#)
                #expect(!reply.continues)
                #expect(try status(reply).authorizationPending)
            }
            #expect(kept.values.count == 1, "the same again is nothing to keep")
            #expect(kept.values.first?.entries[.uid(OtherUserClients.uid)]?.request?.level == .whenInUse)
        }
    }

    @Test(arguments: ["authorizedAlways", "authorizedWhenInUse", "denied"])
    func requestForMoreThanIsGrantedWaitsForItsDecision(decision: String) async throws {
        try await TestServer.run { server in
            let control = try server.connect(.control)
            let clients = try await OtherUserClients.connect(to: server.locationPath, count: 2).map(server.keep)
            let principal = "uid:\(OtherUserClients.uid)"
            _ = try await control.call(
                Admin.setAuthorization, #"{"principal":"\#(principal)","authorization":"authorizedWhenInUse"}"#)
            let less = try await clients[0].call(Ask.requestAuthorization, #"{"level":"whenInUse"}"#)
            #expect(try !status(less).authorizationPending)
            try await clients[0].send(Ask.requestAuthorization, #"{"level":"always"}"#, flags: "\"more\":true")
            let first = try await clients[0].message()
            #expect(first.continues)
            #expect(try status(first).authorization == .authorizedWhenInUse)
            #expect(try status(first).authorizationPending)
            // Without `more` the present state is the only reply.
            let present = try await clients[1].call(Ask.requestAuthorization, #"{"level":"always"}"#)
            #expect(try !present.continues && status(present).authorizationPending)
            let asked = try await control.call(Admin.listAuthorizations).parameters(as: AuthorizationList.self)
                .authorizations.first { $0.principal == principal }
            #expect(asked?.pending == true && asked?.level == .always)
            _ = try await control.call(
                Admin.setAuthorization, #"{"principal":"\#(principal)","authorization":"\#(decision)"}"#)
            let last = try await clients[0].message()
            #expect(!last.continues)
            #expect(try status(last).authorization.rawValue == decision)
            #expect(try !status(last).authorizationPending)
        }
    }

    @Test func whatIsDecidedAlreadyIsAnsweredAtOnce() async throws {
        try await TestServer.run { server in
            let control = try server.connect(.control)
            let stranger = server.keep(try #require(await OtherUserClients.connect(to: server.locationPath).first))
            _ = try await control.call(
                Admin.setAuthorization, #"{"principal":"uid:65533","authorization":"denied"}"#)
            try await stranger.send(Ask.requestAuthorization, #"{"level":"always"}"#, flags: "\"more\":true")
            let reply = try await stranger.message()
            #expect(!reply.continues)
            #expect(try status(reply).authorization == .denied)
            #expect(try status(reply).reason?.contains("`sudo locctl authorize uid:65533`") == true)
            let settled = try await server.connect().call(Ask.requestAuthorization, #"{"level":"always"}"#)
            #expect(try status(settled).authorization == .authorizedAlways)
        }
    }

    @Test func resetEndsTheWaitingAndForgets() async throws {
        try await TestServer.run { server in
            let control = try server.connect(.control)
            let stranger = server.keep(try #require(await OtherUserClients.connect(to: server.locationPath).first))
            try await stranger.send(Ask.requestAuthorization, #"{"level":"always"}"#, flags: "\"more\":true")
            _ = try await stranger.message()
            let reset = try await control.call(Admin.resetAuthorization, #"{"principal":"uid:65533"}"#)
            #expect(reset.error == nil)
            let last = try await stranger.message()
            #expect(!last.continues)
            #expect(try status(last).authorization == .notDetermined)
            #expect(try !status(last).authorizationPending)
            let again = try await control.call(Admin.resetAuthorization, #"{"principal":"uid:65533"}"#)
            #expect(again.error == AdminInterface.Failure.noSuchPrincipal)
        }
    }

    @Test func onlySoManyWaitAtATime() async throws {
        try await TestServer.run {
            $0.settings.limits.authorizationsPerUser = 2
        } _: { server in
            let clients = try await OtherUserClients.connect(to: server.locationPath, count: 3).map(server.keep)
            for stranger in clients.prefix(2) {
                try await stranger.send(Ask.requestAuthorization, #"{"level":"always"}"#, flags: "\"more\":true")
                #expect(try await stranger.message().continues)
            }
            try await clients[2].send(Ask.requestAuthorization, #"{"level":"always"}"#, flags: "\"more\":true")
            let refusal = try await clients[2].message()
            #expect(refusal.error == LocationInterface.Failure.tooManyAuthorizations)
            #expect(try refusal.explained.limit == 2)
            // Whoever leaves makes room, and another user has room of its own.
            let other = server.keep(
                try #require(await OtherUserClients.connect(to: server.locationPath, uid: 65_532).first))
            try await other.send(Ask.requestAuthorization, #"{"level":"always"}"#, flags: "\"more\":true")
            #expect(try await other.message().continues)
        }
    }

    @Test func principalsAreNamedExactly() async throws {
        try await TestServer.run {
            $0.hooks.user = { $0 == "alice" ? 1000 : nil }
        } _: { server in
            let control = try server.connect(.control)
            func set(_ principal: String) async throws -> Message {
                try await control.call(
                    Admin.setAuthorization, #"{"principal":"\#(principal)","authorization":"authorizedAlways"}"#)
            }
            #expect(try await set("user:alice").parameters(as: AuthorizationChange.self).principal == "uid:1000")
            #expect(
                try await set("unit:a.service").parameters(as: AuthorizationChange.self).principal == "unit:a.service")
            #expect(try await set("user:bob").error == AdminInterface.Failure.noSuchPrincipal)
            for wrong in [
                "alice", "1000", "uid:-1", "uid:65534", "uid:1e3", "unit:a", "unit:../a.service", "gid:5", "",
            ] {
                #expect(try await set(wrong).error == "org.varlink.service.InvalidParameter", "\(wrong)")
            }
            let list = try await control.call(Admin.listAuthorizations).parameters(as: AuthorizationList.self)
            #expect(list.authorizations.map(\.principal).sorted() == ["uid:1000", "unit:a.service"])
        }
    }

    @Test func accountIsNotedByItsName() async throws {
        let (asked, asking) = AsyncStream.makeStream(of: Void.self)
        let (opened, opening) = AsyncStream.makeStream(of: Void.self)
        try await TestServer.run {
            $0.hooks.accountName = { uid in
                if uid == 1001 {
                    asking.yield()
                    for await _ in opened { break }
                }
                return uid == 1002 ? nil : "alice"
            }
        } _: { server in
            let control = try server.connect(.control)
            func set(_ uid: Int, _ answer: String) -> String {
                #"{"principal":"uid:\#(uid)","authorization":"\#(answer)"}"#
            }
            for uid in [1000, 1002] {
                _ = try await control.call(Admin.setAuthorization, set(uid, "authorizedAlways"))
            }
            // A denial does not wait for the name, and is not overtaken by what does.
            let other = try server.connect(.control)
            try await other.send(Admin.setAuthorization, set(1001, "authorizedAlways"))
            for await _ in asked { break }
            #expect(try await control.call(Admin.setAuthorization, set(1001, "denied")).error == nil)
            opening.yield()
            #expect(try await other.message().explained.reason?.contains("there is a newer decision about") == true)
            let list = try await control.call(Admin.listAuthorizations).parameters(as: AuthorizationList.self)
            let found = Dictionary(uniqueKeysWithValues: list.authorizations.map { ($0.principal, $0) })
            #expect(found["uid:1000"]?.account == "alice" && found["uid:1002"]?.authorization == .authorizedAlways)
            #expect(found["uid:1002"]?.account == nil && found["uid:1001"]?.account == nil)
            #expect(found["uid:1001"]?.authorization == .denied)
        }
    }

    @Test func restrictionCannotBeDecidedAway() async throws {
        try await TestServer.run {
            $0.settings.policy.rules = [PolicyRule(.uid(OtherUserClients.uid), .restricted, origin: "policy.toml:3")]
        } _: { server in
            let stranger = server.keep(try #require(await OtherUserClients.connect(to: server.locationPath).first))
            let state = try status(try await stranger.call(Ask.getStatus))
            #expect(state.authorization == .restricted)
            #expect(state.reason?.contains("policy.toml:3") == true)
            let refusal = try await server.connect(.control).call(
                Admin.setAuthorization, #"{"principal":"uid:65533","authorization":"authorizedAlways"}"#)
            #expect(refusal.error == AdminInterface.Failure.failed)
            #expect(try refusal.explained.reason?.contains("policy.toml:3") == true)
        }
    }

    @Test func unkeptDecisionIsToldAndHolds() async throws {
        try await TestServer.run {
            $0.hooks.onDecisions = { _ in throw Failure("the disk is full") }
        } _: { server in
            let stranger = server.keep(try #require(await OtherUserClients.connect(to: server.locationPath).first))
            let change = try await server.connect(.control).call(
                Admin.setAuthorization, #"{"principal":"uid:65533","authorization":"denied"}"#)
            #expect(change.error == AdminInterface.Failure.failed)
            #expect(try change.explained.reason?.contains("the disk is full") == true)
            #expect(try status(try await stranger.call(Ask.getStatus)).authorization == .denied)
        }
    }

    @Test func unreadableDecisionsShutEverybodyOutButRootAndTheDaemon() async throws {
        try await TestServer.run {
            $0.decisions = .unreadable("the decisions are broken; repair them")
        } _: { server in
            let group = try #require(AccessPolicy.strict.group)
            for uid in [OtherUserClients.uid, AccessPolicy.strict.daemonUID] {
                let client = server.keep(
                    try #require(
                        await OtherUserClients.connect(to: server.locationPath, uid: uid, groups: [group]).first))
                let state = try status(try await client.call(Ask.getStatus))
                #expect(state.authorization == (uid == OtherUserClients.uid ? .restricted : .authorizedAlways))
                if uid == OtherUserClients.uid {
                    #expect(state.reason == "the decisions are broken; repair them")
                    let asked = try await client.call(Ask.requestAuthorization, #"{"level":"always"}"#)
                    #expect(try status(asked).authorization == .restricted)
                }
            }
            let control = try server.connect(.control)
            #expect(try status(try await control.call(Ask.getStatus)).authorization == .authorizedAlways)
            for call in [Admin.listAuthorizations, Admin.setAuthorization, Admin.resetAuthorization] {
                let refusal = try await control.call(call, #"{"principal":"uid:1","authorization":"denied"}"#)
                #expect(try refusal.explained.reason == "the decisions are broken; repair them")
            }
            try await server.server.replaceDecisions(.known(DecisionTable()))
            #expect(try await control.call(Admin.listAuthorizations).error == nil)
        }
    }
}
