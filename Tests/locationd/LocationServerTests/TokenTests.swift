import Authorization
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import LocationServer
import ProgramTestSupport
import ServerDoubles
import Testing

/// A service that may call on behalf of others administers for an administrator who gave it a token, and for nobody
/// else.
@Suite(.timeLimit(.minutes(10)), .enabled(if: OtherUserClients.isPossible, "becoming other users takes root"))
struct TokenTests {
    private typealias Ask = LocationInterface.Method
    private typealias Admin = AdminInterface.Method

    private static let (administrator, another): (UInt32, UInt32) = (47_001, 47_002)
    private static let group: UInt32 = 64_001
    private static let denied = "org.varlink.service.PermissionDenied"
    private static let rule = PolicyRule(
        .uid(OtherUserClients.uid), .restricted, mayServeOthers: true, origin: "the test")

    private func run(
        _ change: (inout TestServer.Setup) -> Void = { _ in }, _ body: (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.run {
            $0.settings.policy.rules = [Self.rule]
            // The user database does not say that the administrator is in the group: the token does.
            change(&$0)
        } _: {
            try await body($0)
        }
    }

    private func connect(
        _ path: String, uid: UInt32 = OtherUserClients.uid, groups: [UInt32] = [], to server: TestServer
    ) async throws -> WireClient {
        server.keep(try #require(await OtherUserClients.connect(to: path, uid: uid, groups: groups).first))
    }

    private func createToken(_ server: TestServer, _ parameters: String = "{}") async throws -> CreateTokenReply {
        let client = try await connect(
            server.controlPath, uid: Self.administrator, groups: [Self.group], to: server)
        return try await client.call(Admin.createToken, parameters).parameters(as: CreateTokenReply.self)
    }

    private static func parameters(
        _ token: String?, uid: UInt32 = administrator, label: String = "web page", _ more: String = ""
    ) -> String {
        let token = token.map { #","token":"\#($0)""# } ?? ""
        return #"{"onBehalfOf":{"uid":\#(uid),"label":"\#(label)"}\#(token)\#(more.isEmpty ? "" : ",")\#(more)}"#
    }

    @Test func grantIsTheAdministratorsOwn() async throws {
        let records = ValueRecorder<AuditRecord>()
        try await run {
            $0.hooks.onRecord = { records.append($0) }
        } _: { server in
            let token = try await createToken(server)
            #expect(token.lifetime == 43_200)
            for path in [server.locationPath, server.controlPath] {
                let portal = try await connect(path, to: server)
                let decision = #""principal":"uid:47002","authorization":"authorizedAlways""#
                let reply = try await portal.call(
                    Admin.setAuthorization, Self.parameters(token.token, decision))
                #expect(reply.error == nil, "\(reply.text)")
                let listed = try await portal.call(Admin.listAuthorizations, Self.parameters(token.token))
                    .parameters(as: AuthorizationList.self).authorizations.first
                #expect(listed?.decidedBy == "uid:47001 (web page)")
                #expect(listed?.authorization == .authorizedAlways)
            }
            let grants = records.values.filter { $0.event == .granted }
            #expect(grants.count == 2 && grants.allSatisfy { $0.by == "uid:47001 (web page)" })
        }
    }

    @Test func withoutAValidTokenNothingIsDone() async throws {
        try await run { server in
            let token = try await createToken(server).token
            let portal = try await connect(server.locationPath, to: server)
            for parameters in [
                Self.parameters(nil), Self.parameters(""), Self.parameters(String(token.dropLast())),
                Self.parameters(token.uppercased() + "0"), Self.parameters(token, uid: Self.another),
                Self.parameters(token, uid: 0),
            ] {
                #expect(try await portal.call(Admin.stop, parameters).error == Self.denied, "\(parameters)")
            }
            #expect(try await portal.call(Admin.createToken, Self.parameters(token)).error == Self.denied)
            #expect(try await portal.call(Admin.stop).error == "org.varlink.service.InterfaceNotFound")
            #expect(try await portal.call(Admin.getStatistics, Self.parameters(token)).error == nil)
        }
    }

    @Test func whoMayNotServeOthersCannotUseIt() async throws {
        try await run { server in
            let token = try await createToken(server).token
            for (path, error) in [
                (server.locationPath, "org.varlink.service.InterfaceNotFound"), (server.controlPath, Self.denied),
            ] {
                let stranger = try await connect(path, uid: 65_532, to: server)
                #expect(try await stranger.call(Admin.stop, Self.parameters(token)).error == error)
                // Not even its owner, and not an administrator.
                let owner = try await connect(path, uid: Self.administrator, groups: [Self.group], to: server)
                #expect(try await owner.call(Admin.stop, Self.parameters(token)).error == error)
            }
        }
    }

    @Test func onlyAnAdministratorAtTheControlSocketCreatesOne() async throws {
        try await run { server in
            let stranger = try await connect(server.controlPath, uid: Self.another, to: server)
            #expect(try await stranger.call(Admin.createToken).error == Self.denied)
            let portal = try await connect(server.controlPath, to: server)
            #expect(try await portal.call(Admin.createToken).error == Self.denied)
            #expect(try await portal.call(Admin.createToken, Self.parameters(nil)).error == Self.denied)
            let administrator = try await connect(
                server.locationPath, uid: Self.administrator, groups: [Self.group], to: server)
            #expect(
                try await administrator.call(Admin.createToken).error == "org.varlink.service.InterfaceNotFound")
            let root = try server.connect(.control)
            for lifetime in ["0", "-1", "43200.5", "1e999"] {
                let reply = try await root.call(Admin.createToken, #"{"lifetime":\#(lifetime)}"#)
                #expect(reply.error == "org.varlink.service.InvalidParameter", "\(lifetime)")
            }
        }
    }

    @Test func tokenEndsWithItsTime() async throws {
        try await run { server in
            let portal = try await connect(server.locationPath, to: server)
            let token = try await createToken(server, #"{"lifetime":0.001}"#)
            #expect(token.lifetime == 0.001)
            try await eventually("it is over") {
                try await portal.call(Admin.getStatistics, Self.parameters(token.token)).error == Self.denied
            }
        }
    }

    @Test func revokedTokenIsOver() async throws {
        try await run { server in
            let portal = try await connect(server.locationPath, to: server)
            let tokens = try await (createToken(server).token, createToken(server).token)
            #expect(try await portal.call(Admin.revokeToken, Self.parameters(tokens.0)).error == nil)
            #expect(try await portal.call(Admin.getStatistics, Self.parameters(tokens.0)).error == Self.denied)
            #expect(try await portal.call(Admin.getStatistics, Self.parameters(tokens.1)).error == nil)
            let root = try server.connect(.control)
            for _ in 0..<2 {
                #expect(try await root.call(Admin.revokeToken, #"{"token":"\#(tokens.1)"}"#).error == nil)
            }
            #expect(try await portal.call(Admin.getStatistics, Self.parameters(tokens.1)).error == Self.denied)
        }
    }

    @Test func policyIsAskedAtEachCall() async throws {
        try await run { server in
            let portal = try await connect(server.locationPath, to: server)
            for change: @Sendable (inout ServerSettings) -> Void in [
                { $0.policy.rules.append(PolicyRule(.uid(Self.administrator), .restricted, origin: "the test")) },
                { $0.policy.rules.append(PolicyRule(.group(Self.group), .restricted, origin: "the test")) },
                { $0.policy = AccessPolicy(daemonUID: 64_999, group: nil, groupName: "x", rules: [Self.rule]) },
            ] {
                try await server.server.apply {
                    $0.policy = .strict
                    $0.policy.rules = [Self.rule]
                }
                let token = try await createToken(server).token
                #expect(try await portal.call(Admin.getStatistics, Self.parameters(token)).error == nil)
                try await server.server.apply(change)
                #expect(try await portal.call(Admin.getStatistics, Self.parameters(token)).error == Self.denied)
                try await server.server.apply {
                    $0.policy = .strict
                    $0.policy.rules = [Self.rule]
                }
                #expect(
                    try await portal.call(Admin.getStatistics, Self.parameters(token)).error == Self.denied,
                    "it has ended")
            }
        }
    }

    /// A grant waits for the name of the account, and an audit for the disk; a token that ends meanwhile does neither.
    @Test func callThatWaitsIsJudgedAgain() async throws {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let begun = ValueRecorder<Int>()
        try await run {
            $0.hooks.accountName = { _ in
                begun.append(1)
                for await _ in gate { break }
                return "bob"
            }
            $0.hooks.user = { _ in
                begun.append(2)
                for await _ in gate { break }
                return Self.another
            }
            $0.hooks.records = { _ in
                begun.append(3)
                for await _ in gate { break }
                return []
            }
        } _: { server in
            let grant = #""principal":"uid:47002","authorization":"authorizedAlways""#
            let denial = #""principal":"user:bob","authorization":"denied""#
            for (method, more) in [
                (Admin.setAuthorization, grant), (Admin.setAuthorization, denial), (Admin.getHistory, ""),
            ] {
                let portal = try await connect(server.locationPath, to: server)
                let token = try await createToken(server).token
                let count = begun.values.count
                try await portal.send(method, Self.parameters(token, more))
                try await eventually("it waits") { begun.values.count > count }
                try await server.server.apply {
                    $0.policy.rules.append(PolicyRule(.uid(Self.administrator), .restricted, origin: "the test"))
                }
                open.yield()
                #expect(try await portal.message().error == Self.denied, "\(method) \(more)")
                try await server.server.apply { $0.policy.rules = [Self.rule] }
            }
            let list = try await server.connect(.control).call(Admin.listAuthorizations)
                .parameters(as: AuthorizationList.self).authorizations
            #expect(list.isEmpty, "nothing was decided")
        }
    }

    @Test func rightThatIsTakenEndsItsUse() async throws {
        try await run { server in
            let portal = try await connect(server.locationPath, to: server)
            let token = try await createToken(server).token
            #expect(try await portal.call(Admin.getStatistics, Self.parameters(token)).error == nil)
            try await server.server.apply { $0.policy.rules = [] }
            #expect(
                try await portal.call(Admin.getStatistics, Self.parameters(token)).error
                    == "org.varlink.service.InterfaceNotFound")
        }
    }

    @Test func connectionThatServesTheAdministratorMayAdminister() async throws {
        try await run { server in
            let portal = try await connect(server.locationPath, to: server)
            let token = try await createToken(server).token
            #expect(try await portal.call(Ask.getStatus, Self.parameters(nil)).error == nil)
            #expect(try await portal.call(Admin.getStatistics, Self.parameters(token)).error == nil)
            #expect(try await portal.call(Admin.getStatistics, Self.parameters(nil)).error == Self.denied)
            for parameters in [Self.parameters(token, label: "x"), Self.parameters(token, uid: Self.another)] {
                #expect(
                    try await portal.call(Admin.stop, parameters).error == "org.varlink.service.InvalidParameter")
            }
        }
    }

    /// A service that runs as root must not administer as root when it forgets whom it serves.
    @Test func tokenStandsBesideWhoIsServed() async throws {
        try await run { server in
            let token = try await createToken(server).token
            let root = try server.connect(.control)
            let reply = try await root.call(Admin.stop, #"{"token":"\#(token)"}"#)
            #expect(reply.error == "org.varlink.service.InvalidParameter" && reply.text.contains("onBehalfOf"))
        }
    }

    /// Calls by a token are limited as its owner's, before it is looked at: guessing costs the same.
    @Test func callsAreTheOwners() async throws {
        try await run {
            $0.settings.limits.requestsPerSecond = 0.01
        } _: { server in
            let clients = [
                try await connect(server.locationPath, to: server), try await connect(server.locationPath, to: server),
                try await connect(server.locationPath, to: server),
            ]
            #expect(try await clients[0].call(Admin.stop, Self.parameters("guess")).error == Self.denied)
            #expect(
                try await clients[1].call(Admin.stop, Self.parameters("guess")).error
                    == LocationInterface.Failure.tooManyRequests)
            #expect(
                try await clients[2].call(Admin.stop, Self.parameters("guess", uid: Self.another)).error == Self.denied)
        }
    }
}
