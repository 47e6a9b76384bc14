import Authorization
import LocationHub
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import LocationServer
import ProgramTestSupport
import ServerDoubles
import Testing

/// Connections of a bridge that serves other users' programs: each is judged as its own.
@Suite(.timeLimit(.minutes(10)))
struct ServedProgramTests {
    private typealias Ask = LocationInterface.Method
    private typealias Admin = AdminInterface.Method

    /// A user who is nobody's, and one in a group that the policy names.
    private static let (uid, member): (UInt32, UInt32) = (47_001, 47_002)
    private static let group: UInt32 = 47_100

    private static func served(_ uid: UInt32, _ more: String = "", label: String = "gpsd client") -> String {
        #"{"onBehalfOf":{"uid":\#(uid),"label":"\#(label)"}\#(more.isEmpty ? "" : ",")\#(more)}"#
    }

    private func run(
        _ change: (inout TestServer.Setup) -> Void = { _ in }, _ body: (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.run {
            $0.hooks.groups = { $0 == Self.member ? [Self.group] : [] }
            change(&$0)
        } _: {
            try await body($0)
        }
    }

    private func decide(_ server: TestServer, _ principal: String, _ authorization: String) async throws {
        let reply = try await server.connect(.control).call(
            Admin.setAuthorization, #"{"principal":"\#(principal)","authorization":"\#(authorization)"}"#)
        #expect(reply.error == nil)
    }

    @Test func programIsJudgedAndNotTheBridge() async throws {
        try await run { server in
            let bridge = try server.connect(.control)
            let refused = try await bridge.call(Ask.getLocation, Self.served(Self.uid))
            #expect(refused.error == LocationInterface.Failure.notAuthorized)
            let status = try await bridge.call(Ask.getStatus, Self.served(Self.uid))
                .parameters(as: StatusReply.self).status
            #expect(status.authorization == .notDetermined)
            #expect(status.reason?.contains("locctl authorize uid:\(Self.uid)") == true)
            try await decide(server, "uid:\(Self.uid)", "authorizedAlways")
            let granted = try await bridge.call(Ask.getStatus, Self.served(Self.uid))
                .parameters(as: StatusReply.self).status
            #expect(granted.authorization == .authorizedAlways)
        }
    }

    @Test func receiversAreToldByPermission() async throws {
        try await run {
            $0.hooks.sources = { [(name: "receiver", counters: [:])] }
            $0.hooks.devices = ["receiver": "/dev/configured"]
            var chance = SeededGenerator(seed: 3)
            $0.reduction = ReducedAccuracy(grid: AccuracyGrid(), displacement: .random(using: &chance))
        } _: { server in
            func receivers(_ uid: UInt32) async throws -> [LocationReceiver] {
                try await server.connect(.control).call(Ask.listReceivers, Self.served(uid))
                    .parameters(as: ReceiversReply.self).receivers
            }
            #expect(try await receivers(Self.uid).isEmpty, "nobody has decided")
            try await decide(server, "uid:\(Self.uid)", "authorizedAlways")
            #expect(try await receivers(Self.uid) == [LocationReceiver(source: "receiver", device: "/dev/configured")])
            #expect(try await server.connect().call(Ask.listReceivers).error == nil)
            let reply = try await server.connect(.control).call(
                Admin.setAuthorization,
                #"{"principal":"uid:\#(Self.member)","authorization":"authorizedAlways","accuracy":"reduced"}"#)
            #expect(reply.error == nil)
            #expect(try await receivers(Self.member) == [LocationReceiver(source: "receiver")])
            // One that was heard has its path.
            let watch = try await server.watcher(isFirst: true)
            try server.post(fix: 1)
            _ = try await watch.location()
            #expect(try await receivers(Self.uid) == [LocationReceiver(source: "receiver", device: "/dev/ttyACM0")])
            #expect(try await receivers(Self.member) == [LocationReceiver(source: "receiver")])
            try await decide(server, "uid:\(Self.uid)", "denied")
            #expect(try await receivers(Self.uid).isEmpty)
        }
    }

    @Test func decisionReachesARunningWatch() async throws {
        try await run { server in
            let bridge = try server.connect(.control)
            try await bridge.send(Ask.watch, Self.served(Self.uid), flags: "\"more\":true")
            let opening = try await bridge.message().parameters(as: WatchReply.self)
            #expect(opening.status?.authorization == .notDetermined && opening.location == nil)
            try await decide(server, "uid:\(Self.uid)", "authorizedAlways")
            #expect(
                try await bridge.message().parameters(as: WatchReply.self).status?.authorization == .authorizedAlways)
            try await decide(server, "uid:\(Self.uid)", "denied")
            while true {
                let reply = try await bridge.message().parameters(as: WatchReply.self)
                if reply.status?.authorization == .denied { break }
            }
        }
    }

    @Test func requestIsPendingUnderTheProgramsUser() async throws {
        let records = ValueRecorder<AuditRecord>()
        try await run {
            $0.hooks.onRecord = { records.append($0) }
        } _: { server in
            let bridge = try server.connect(.control)
            let reply = try await bridge.call(
                Ask.requestAuthorization, Self.served(Self.uid, #""level":"always""#, label: "GeoClue: org.example.map")
            )
            #expect(try reply.parameters(as: StatusReply.self).status.authorizationPending)
            let listed = try await server.connect(.control).call(Admin.listAuthorizations)
                .parameters(as: AuthorizationList.self).authorizations.first
            #expect(listed?.principal == "uid:\(Self.uid)" && listed?.pending == true)
            #expect(listed?.purpose == "GeoClue: org.example.map")
            #expect(records.values.contains { $0.principal == "uid:\(Self.uid)" && $0.event == .requested })
        }
    }

    @Test func groupsOfTheUserCount() async throws {
        try await run {
            $0.settings.policy = AccessPolicy(
                daemonUID: 990, group: nil, groupName: "locationd",
                rules: [PolicyRule(.group(Self.group), .restricted, origin: "the test")])
        } _: { server in
            let status = try await server.connect(.control).call(Ask.getStatus, Self.served(Self.member))
                .parameters(as: StatusReply.self).status
            #expect(status.authorization == .restricted)
        }
    }

    @Test func groupsThatCannotBeLookedUpRefuse() async throws {
        struct Down: Error, CustomStringConvertible { let description = "the directory is down" }
        try await run {
            $0.hooks.groups = { _ in throw Down() }
        } _: { server in
            let reply = try await server.connect(.control).call(Ask.getStatus, Self.served(Self.uid))
            #expect(reply.error == AdminInterface.Failure.failed)
            #expect(reply.text.contains("the directory is down"))
        }
    }

    /// Nobody is taken to be in no group because the directory was down a moment ago.
    @Test func failedLookUpIsMadeAgain() async throws {
        let attempts = ValueRecorder<UInt32>()
        try await run {
            $0.settings.policy.rules = [PolicyRule(.group(Self.group), .restricted, origin: "the test")]
            $0.hooks.groups = {
                attempts.append($0)
                if attempts.count == 1 { throw Failure("the directory is down") }
                return [Self.group]
            }
        } _: { server in
            let bridge = try server.connect(.control)
            #expect(
                try await bridge.call(Ask.getStatus, Self.served(Self.member)).error == AdminInterface.Failure.failed)
            let status = try await bridge.call(Ask.getStatus, Self.served(Self.member))
                .parameters(as: StatusReply.self).status
            #expect(status.authorization == .restricted && attempts.count == 2)
        }
    }

    /// As for a connection of the user's own: who is refused has no need for long requests, whoever serves it.
    @Test(arguments: [true, false]) func refusedProgramHasShorterRequests(isDenied: Bool) async throws {
        try await run { server in
            if isDenied { try await decide(server, "uid:\(Self.uid)", "denied") }
            let bridge = try server.connect(.control)
            func ask(bytes: Int) async throws -> Message {
                let head = Array(#"{"method":"\#(Ask.getStatus)","parameters":\#(Self.served(Self.uid))}"#.utf8)
                try await bridge.send(bytes: head + Array(repeating: 0x20, count: bytes - head.count) + [0])
                return try await bridge.message()
            }
            // The first call is the bridge's still.
            for bytes in [16_385, 16_384] { #expect(try await ask(bytes: bytes).error == nil) }
            let longer = try await ask(bytes: 16_385)
            #expect(longer.error == (isDenied ? "org.varlink.service.InvalidParameter" : nil))
        }
    }

    @Test func clientsShowThePrincipalAndTheLabel() async throws {
        try await run { server in
            let bridge = try server.connect(.control)
            try await bridge.send(Ask.watch, Self.served(Self.uid), flags: "\"more\":true")
            _ = try await bridge.message()
            let clients = try await server.connect(.control).call(Admin.listClients)
                .parameters(as: ClientList.self).clients
            let client = try #require(clients.first { $0.label != nil })
            #expect(client.principal == "uid:\(Self.uid)" && client.label == "gpsd client")
            #expect(client.request == "Watch")
        }
    }

    @Test func programHasNoneOfTheBridgesRights() async throws {
        try await run { server in
            let bridge = try server.connect(.control)
            _ = try await bridge.call(Ask.getStatus, Self.served(0))
            for method in [Admin.listClients, Admin.stop] {
                #expect(try await bridge.call(method).error == "org.varlink.service.PermissionDenied", "\(method)")
            }
        }
    }

    /// What is persisted for a program is its user's, and neither the bridge's nor another user's.
    @Test func monitorsAreThoseOfTheProgramsUser() async throws {
        try await run { server in
            let region = #""regions":[{"identifier":"home","center":{"latitude":52,"longitude":13},"radius":100}]"#
            let monitor = try server.connect(.control)
            let parameters = Self.served(Self.uid, #""name":"web",\#(region)"#)
            try await monitor.send(Ask.monitor, parameters, flags: #""more":true"#)
            #expect(try await monitor.message().error == nil)
            let bridge = try server.connect(.control)
            let change = #""name":"web","remove":["home"]"#
            #expect(try await bridge.call(Ask.changeRegions, Self.served(Self.uid, change)).error == nil)
            let list = try await bridge.call(Ask.listMonitors, Self.served(Self.uid))
            #expect(list.error == nil && list.text.contains(#""name":"web""#), "\(list.text)")
            let member = try await server.connect(.control).call(Ask.listMonitors, Self.served(Self.member))
            #expect(!member.text.contains("web"))
            #expect(try await server.connect(.control).call(Ask.listMonitors).text.contains("web") == false)
            #expect(try await bridge.call(Ask.listMonitors).error == "org.varlink.service.InvalidParameter")
            #expect(
                try await bridge.call(Ask.removeMonitor, Self.served(Self.uid, #""name":"web""#)).error == nil)
        }
    }

    @Test func administratorsMethodsServeNobodyElse() async throws {
        try await run { server in
            let bridge = try server.connect(.control)
            for method in [Admin.stop, Admin.listClients] {
                let reply = try await bridge.call(method, Self.served(Self.uid))
                #expect(reply.error == "org.varlink.service.PermissionDenied", "it has no token")
            }
        }
    }

    @Test func connectionServesOneProgram() async throws {
        try await run { server in
            let bridge = try server.connect(.control)
            _ = try await bridge.call(Ask.getStatus, Self.served(Self.uid))
            for parameters in [Self.served(Self.member), "{}", Self.served(Self.uid, label: "another")] {
                let reply = try await bridge.call(Ask.getStatus, parameters)
                #expect(reply.error == "org.varlink.service.InvalidParameter" && reply.text.contains("onBehalfOf"))
            }
            #expect(try await bridge.call(Ask.getStatus, Self.served(Self.uid)).error == nil)
        }
    }

    @Test func publicSocketServesAsTheControlSocketDoes() async throws {
        try await run { server in
            let client = try server.connect()
            #expect(try await client.call(Ask.getStatus).error == nil)
            let status = try await client.call(Ask.getStatus, Self.served(Self.uid))
                .parameters(as: StatusReply.self).status
            #expect(status.authorization == .notDetermined)
        }
    }

    @Test(.enabled(if: OtherUserClients.isPossible, "becoming other users takes root"))
    func otherUsersServeNobody() async throws {
        try await run { server in
            for path in [server.controlPath, server.locationPath] {
                let client = server.keep(try #require(await OtherUserClients.connect(to: path).first))
                let reply = try await client.call(Ask.watch, Self.served(0))
                #expect(reply.error == "org.varlink.service.PermissionDenied")
                #expect(try await client.call(Ask.getStatus).error == nil, "it goes on as itself")
            }
        }
    }

    @Test(arguments: [
        (#"{"onBehalfOf":1}"#, "onBehalfOf"), (#"{"onBehalfOf":{"label":"x"}}"#, "onBehalfOf.uid"),
        (#"{"onBehalfOf":{"uid":1000}}"#, "onBehalfOf.label"),
        (#"{"onBehalfOf":{"uid":-1,"label":"x"}}"#, "onBehalfOf"),
        (#"{"onBehalfOf":{"uid":65534,"label":"x"}}"#, "onBehalfOf.uid"),
        (#"{"onBehalfOf":{"uid":4294967295,"label":"x"}}"#, "onBehalfOf.uid"),
        (#"{"onBehalfOf":{"uid":1000,"label":""}}"#, "onBehalfOf.label"),
        (#"{"onBehalfOf":{"uid":1000,"label":"x","unit":"no unit"}}"#, "onBehalfOf.unit"),
        (#"{"onBehalfOf":{"uid":0,"label":"x","transport":"pigeon"}}"#, "onBehalfOf.transport"),
    ]) func wrongProgramIsNamed(_ parameters: String, _ field: String) async throws {
        try await run { server in
            let reply = try await server.connect(.control).call(Ask.getStatus, parameters)
            #expect(reply.error == "org.varlink.service.InvalidParameter")
            #expect(reply.text.contains("\"parameter\":\"\(field)"), "\(reply.text)")
        }
    }

    /// Over TCP the kernel names who has made the socket: root, for services of other users.
    @Test func rootOverTCPIsUndecided() async throws {
        func status(_ server: TestServer, _ transport: String) async throws -> ServiceStatus {
            let program = #"{"onBehalfOf":{"uid":0,"label":"gpsd client"\#(transport)}}"#
            return try await server.connect(.control).call(Ask.getStatus, program)
                .parameters(as: StatusReply.self).status
        }
        try await run { server in
            let overTCP = #","transport":"tcp""#
            let undecided = try await status(server, overTCP)
            #expect(undecided.authorization == .notDetermined)
            #expect(undecided.reason?.contains("locationd-bridge-unix.socket") == true)
            for transport in ["", #","transport":"unix""#] {
                #expect(try await status(server, transport).authorization == .authorizedAlways)
            }
            try await decide(server, "uid:0", "authorizedAlways")
            #expect(try await status(server, overTCP).authorization == .authorizedAlways)
            try await decide(server, "uid:0", "denied")
            #expect(try await status(server, overTCP).authorization == .denied)
        }
    }

    /// What root may know at a Unix socket is not for who has a socket of root's, whatever changes.
    @Test func rootOverTCPStaysUndecidedBesideRoot() async throws {
        try await run { server in
            let watches = try ["unix", "tcp", "unix", "tcp"].map { transport in
                (transport, try server.connect(.control))
            }
            for (transport, bridge) in watches {
                let program = #"{"onBehalfOf":{"uid":0,"label":"gpsd client","transport":"\#(transport)"}}"#
                try await bridge.send(Ask.watch, program, flags: "\"more\":true")
                let status = try await bridge.message().parameters(as: WatchReply.self).status
                #expect(status?.authorization == (transport == "tcp" ? .notDetermined : .authorizedAlways))
            }
            // A further request makes all of them anew.
            let request = #"{"level":"always","onBehalfOf":{"uid":0,"label":"gpsd client","transport":"tcp"}}"#
            let pending = try await server.connect(.control).call(Ask.requestAuthorization, request)
                .parameters(as: StatusReply.self).status
            #expect(pending.authorization == .notDetermined && pending.authorizationPending)
            for (transport, bridge) in watches {
                var status: ServiceStatus?
                while status?.authorizationPending != true {
                    status = try await bridge.message().parameters(as: WatchReply.self).status
                    #expect(status?.authorization == (transport == "tcp" ? .notDetermined : .authorizedAlways))
                }
            }
        }
    }

    /// Root's too: whom a program names has no exemption by that.
    @Test(arguments: [uid, 0]) func connectionsCountAgainstTheProgramsUser(uid: UInt32) async throws {
        try await run {
            $0.settings.limits.clientsPerUser = 2
        } _: { server in
            let served = try (0..<2).map { _ in try server.connect(.control) }
            for bridge in served { #expect(try await bridge.call(Ask.getStatus, Self.served(uid)).error == nil) }
            let third = try server.connect(.control)
            #expect(
                try await third.call(Ask.getStatus, Self.served(uid)).error
                    == LocationInterface.Failure.tooManyClients)
            #expect(try await third.call(Ask.getStatus).error == nil, "the bridge's own connection stays")
        }
    }
}
