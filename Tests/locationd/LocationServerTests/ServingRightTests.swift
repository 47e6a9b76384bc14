import Authorization
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import LocationServer
import ProgramTestSupport
import ServerDoubles
import Testing

/// A user whom the policy lets call on behalf of others, and who may not know the position itself.
@Suite(.timeLimit(.minutes(10)), .enabled(if: OtherUserClients.isPossible, "becoming other users takes root"))
struct ServingRightTests {
    private typealias Ask = LocationInterface.Method
    private typealias Admin = AdminInterface.Method

    private static let (uid, another): (UInt32, UInt32) = (47_001, 47_002)
    private static let denied = "org.varlink.service.PermissionDenied"
    private static let rule = PolicyRule(
        .uid(OtherUserClients.uid), .restricted, mayServeOthers: true, origin: "the test")

    private static func served(_ uid: UInt32) -> String {
        #"{"onBehalfOf":{"uid":\#(uid),"label":"portal"}}"#
    }

    private func run(
        _ change: (inout TestServer.Setup) -> Void = { _ in }, _ body: (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.run {
            $0.settings.policy.rules = [Self.rule]
            change(&$0)
        } _: {
            try await body($0)
        }
    }

    private func connect(_ server: TestServer, _ count: Int = 1, to path: String? = nil) async throws -> [WireClient] {
        try await OtherUserClients.connect(to: path ?? server.locationPath, count: count).map(server.keep)
    }

    @Test func othersAreServedOnBothSocketsAndNothingElseIsGiven() async throws {
        try await run { server in
            for path in [server.locationPath, server.controlPath] {
                let client = try #require(try await connect(server, to: path).first)
                func status(_ parameters: String = "{}") async throws -> AuthorizationStatus {
                    try await client.call(Ask.getStatus, parameters).parameters(as: StatusReply.self).status
                        .authorization
                }
                #expect(try await status() == .restricted, "it is judged as anybody")
                #expect(try await client.call(Ask.getLocation).error == LocationInterface.Failure.notAuthorized)
                let refusal = path == server.controlPath ? Self.denied : "org.varlink.service.InterfaceNotFound"
                #expect(try await client.call(Admin.listClients).error == refusal)
                #expect(try await status(Self.served(Self.uid)) == .notDetermined)
                #expect(try await client.call(Ask.getLocation, Self.served(Self.another)).error != nil)
            }
        }
    }

    @Test func itsConnectionsAreThoseOfWhomItServes() async throws {
        try await run {
            $0.settings.limits.clientsPerUser = 2
            $0.settings.limits.requestsPerSecond = 1000
        } _: { server in
            let clients = try await connect(server, 6)
            for client in clients { #expect(try await client.call(Ask.getStatus).error == nil) }
            for client in clients.prefix(2) {
                #expect(try await client.call(Ask.getStatus, Self.served(Self.uid)).error == nil)
            }
            let third = try await clients[2].call(Ask.getStatus, Self.served(Self.uid))
            #expect(third.error == LocationInterface.Failure.tooManyClients)
            #expect(try await clients[3].call(Ask.getStatus, Self.served(Self.another)).error == nil)
        }
    }

    /// The limit of all keeps places for administrators, whoever else connects.
    @Test func limitOfAllHoldsForItToo() async throws {
        try await run {
            $0.settings.limits.clients = 2
        } _: { server in
            let request = "{\"method\":\"\(Ask.getStatus)\"}"
            let clients = try await OtherUserClients.connect(to: server.locationPath, count: 3, saying: request)
                .map(server.keep)
            #expect(try await clients[2].message().error == LocationInterface.Failure.tooManyClients)
            #expect(try await server.connect(.control).call(Admin.listClients).error == nil)
        }
    }

    /// Ten calls as itself are the burst of a rate of 5; the next is refused, and one for another is not.
    @Test func ownCallsAreLimitedAndThoseForOthersAreTheirs() async throws {
        try await run {
            $0.settings.limits.requestsPerSecond = 0.01
        } _: { server in
            let clients = try await connect(server, 3)
            #expect(try await clients[0].call(Ask.getStatus).error == nil)
            #expect(try await clients[1].call(Ask.getStatus).error == LocationInterface.Failure.tooManyRequests)
            #expect(try await clients[2].call(Ask.getStatus, Self.served(Self.uid)).error == nil)
        }
    }

    /// Administrators' methods cost what others do, also where they are refused.
    @Test func ownRefusedAdministrationIsLimitedToo() async throws {
        try await run {
            $0.settings.limits.requestsPerSecond = 0.01
        } _: { server in
            let clients = try await connect(server, 2, to: server.controlPath)
            #expect(try await clients[0].call(Admin.listClients).error == Self.denied)
            #expect(try await clients[1].call(Admin.listClients).error == LocationInterface.Failure.tooManyRequests)
        }
    }

    @Test func rateOfWhomItServesIsSpentBeforeAnyLookUp() async throws {
        let lookUps = ValueRecorder<UInt32>()
        try await run {
            $0.settings.limits.requestsPerSecond = 0.01
            $0.hooks.groups = {
                lookUps.append($0)
                return []
            }
        } _: { server in
            let clients = try await connect(server, 12)
            #expect(try await clients[0].call(Ask.getStatus, Self.served(Self.uid)).error == nil)
            for client in clients[1..<11] {
                let reply = try await client.call(Ask.getStatus, Self.served(Self.uid))
                #expect(reply.error == LocationInterface.Failure.tooManyRequests)
            }
            #expect(try await clients[11].call(Ask.getStatus, Self.served(Self.another)).error == nil)
            #expect(lookUps.values == [Self.uid, Self.another])
        }
    }

    @Test func reloadThatKeepsTheRightEndsNothing() async throws {
        try await run { server in
            let client = try #require(try await connect(server).first)
            #expect(try await client.call(Ask.getStatus, Self.served(Self.uid)).error == nil)
            try await server.server.apply {
                $0.policy.rules = [PolicyRule(.uid(Self.another), .ask, origin: "the test"), Self.rule]
            }
            #expect(try await client.call(Ask.getStatus, Self.served(Self.uid)).error == nil)
        }
    }

    /// The call has been admitted, and waits for the groups of whom it names.
    @Test func rightThatIsTakenDuringALookUpServesNobody() async throws {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let begun = ValueRecorder<UInt32>()
        try await run {
            $0.hooks.groups = {
                begun.append($0)
                for await _ in gate { break }
                return []
            }
        } _: { server in
            let client = try #require(try await connect(server).first)
            try await client.send(Ask.getStatus, Self.served(Self.uid))
            try await eventually("the look-up has begun") { begun.count == 1 }
            try await server.server.apply { $0.policy.rules = [] }
            open.yield()
            #expect(try await client.message().error == Self.denied)
        }
    }

    @Test func reloadThatTakesTheRightEndsWhatItServes() async throws {
        try await run { server in
            let clients = try await connect(server, 2)
            try await clients[0].send(Ask.watch, Self.served(Self.uid), flags: "\"more\":true")
            #expect(try await clients[0].message().error == nil)
            #expect(try await clients[1].call(Ask.getStatus).error == nil)
            try await server.server.apply { $0.policy.rules = [] }
            _ = try await clients[0].messagesUntilEnd()
            let refused = try await clients[1].call(Ask.getStatus, Self.served(Self.uid))
            #expect(refused.error == Self.denied)
            try await server.server.apply { $0.policy.rules = [Self.rule] }
            #expect(try await clients[1].call(Ask.getStatus, Self.served(Self.uid)).error == nil)
        }
    }
}
