import Authorization
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import ProgramTestSupport
import ServiceServer
import Testing

@testable import LocationServer

/// How many may connect, and what those over the limit are told.
@Suite(.timeLimit(.minutes(10)), .enabled(if: OtherUserClients.isPossible, "becoming other users takes root"))
struct LimitTests {
    /// Sent with the connection: a refused one that asks nothing is closed after a second.
    private let request = "{\"method\":\"\(LocationInterface.Method.getStatus)\"}"

    private func expectRefusal(of client: WireClient, limit: Int) async throws {
        let start = ContinuousClock.now
        let messages = try await client.messagesUntilEnd()
        #expect(
            messages.map(\.text) == [
                "{\"error\":\"\(LocationInterface.Failure.tooManyClients)\",\"parameters\":{\"limit\":\(limit)}}"
            ])
        #expect(ContinuousClock.now - start < .seconds(60))
    }

    @Test func oneUsersConnectionsAreLimited() async throws {
        try await TestServer.run {
            $0.settings.limits.clientsPerUser = 2
        } _: { server in
            let clients = try await OtherUserClients.connect(to: server.locationPath, count: 3, saying: request)
                .map(server.keep)
            try await expectRefusal(of: clients[2], limit: 2)
            #expect(try await clients[0].message().error == nil)
            #expect(try await clients[1].message().error == nil)
            // Another user, and root, are not concerned.
            let other = server.keep(
                try #require(await OtherUserClients.connect(to: server.locationPath, uid: 65_532).first))
            #expect(try await other.call(LocationInterface.Method.getStatus).error == nil)
            for _ in 0..<3 { #expect(try await server.connect().call(LocationInterface.Method.getStatus).error == nil) }
            // A place that becomes free is given again.
            await clients[0].close()
            let control = try server.connect(.control)
            while try await control.call(AdminInterface.Method.listClients).parameters(as: ClientList.self)
                .clients.count(where: { $0.principal == "uid:\(OtherUserClients.uid)" }) == 2
            {}
            let next = server.keep(try #require(await OtherUserClients.connect(to: server.locationPath).first))
            #expect(try await next.call(LocationInterface.Method.getStatus).error == nil)
            let statistics = try await control.call(AdminInterface.Method.getStatistics)
                .parameters(as: StatisticsReply.self).statistics
            #expect(statistics.refusedConnections == 1)
        }
    }

    private func connect(
        _ server: TestServer, to socket: SocketKind, uid: UInt32 = OtherUserClients.uid, saying request: String = ""
    ) async throws -> WireClient {
        let path =
            switch socket {
            case .control: server.controlPath
            case .nmea: server.nmeaPath
            case .location, .unknown: server.locationPath
            }
        return server.keep(
            try #require(await OtherUserClients.connect(to: path, uid: uid, saying: request).first))
    }

    /// The connection is refused with this error; readers of the NMEA socket make no calls, so they are sent nothing
    /// and closed. What is not refused is answered at once, and not waited for.
    private func expectRefusal(
        of socket: SocketKind, _ server: TestServer, uid: UInt32 = OtherUserClients.uid, _ error: String
    ) async throws {
        let client = try await connect(server, to: socket, uid: uid, saying: socket == .nmea ? "" : request)
        if socket == .nmea {
            #expect(try await client.linesUntilEnd(limit: 1) == [])
        } else {
            #expect(try await client.message().error == error, "\(socket)")
        }
    }

    private static let sockets: [SocketKind] = [.location, .control, .nmea]

    /// The sockets have one limit together: what is open at two counts at the third.
    @Test(arguments: sockets) func oneUsersConnectionsAreCountedOverAllSockets(_ last: SocketKind) async throws {
        try await TestServer.run {
            $0.settings.limits.clientsPerUser = 2
        } _: { server in
            for socket in Self.sockets where socket != last { _ = try await connect(server, to: socket) }
            // The server has accepted both when it refuses the third.
            try await expectRefusal(of: last, server, LocationInterface.Failure.tooManyClients)
            let other = try await connect(server, to: .location, uid: 65_532)
            #expect(try await other.call(LocationInterface.Method.getStatus).error == nil)
        }
    }

    @Test(arguments: sockets) func allConnectionsAreCountedOverAllSockets(_ last: SocketKind) async throws {
        try await TestServer.run {
            $0.settings.limits.clients = 2
        } _: { server in
            for socket in Self.sockets where socket != last { _ = try await connect(server, to: socket) }
            try await expectRefusal(of: last, server, uid: 65_532, LocationInterface.Failure.tooManyClients)
        }
    }

    /// The connections of one user, at whatever socket, are paid for from one rate.
    @Test(arguments: sockets) func oneUsersRateIsSpentAtAllSockets(_ first: SocketKind) async throws {
        try await TestServer.run {
            // One unit at once, and none for as long as the test takes.
            $0.settings.limits.requestsPerSecond = 0.001
        } _: { server in
            _ = try await connect(server, to: first)
            for socket in Self.sockets where socket != first {
                try await expectRefusal(of: socket, server, LocationInterface.Failure.tooManyRequests)
            }
        }
    }

    @Test func allConnectionsAreLimitedButForRoot() async throws {
        try await TestServer.run {
            $0.settings.limits.clients = 2
        } _: { server in
            let first = server.keep(try #require(await OtherUserClients.connect(to: server.locationPath).first))
            let root = try server.connect()
            #expect(try await root.call(LocationInterface.Method.getStatus).error == nil)
            let other = server.keep(
                try #require(
                    await OtherUserClients.connect(to: server.locationPath, uid: 65_532, saying: request).first))
            try await expectRefusal(of: other, limit: 2)
            #expect(try await first.call(LocationInterface.Method.getStatus).error == nil)
            #expect(try await server.connect().call(LocationInterface.Method.getStatus).error == nil)
        }
    }

    @Test func refusedConnectionThatAsksNothingIsClosedWithinASecond() async throws {
        try await TestServer.run {
            $0.settings.limits.clients = 0
        } _: { server in
            let refused = server.keep(try #require(await OtherUserClients.connect(to: server.locationPath).first))
            let start = ContinuousClock.now
            #expect(try await refused.messagesUntilEnd().isEmpty)
            #expect(ContinuousClock.now - start < .seconds(60))
        }
    }

    @Test func crowdOfRefusedIsClosedUntold() async throws {
        try await TestServer.run {
            $0.settings.limits.clients = 0
        } _: { server in
            // Who is told has a second to ask: on a loaded machine a whole crowd may be too late.
            var told = 0
            for _ in 0..<20 where told == 0 {
                let crowd = try await OtherUserClients.connect(
                    to: server.locationPath, count: 80, saying: request
                ).map(server.keep)
                for client in crowd {
                    let messages = try await client.messagesUntilEnd()
                    #expect(messages.allSatisfy { $0.error == LocationInterface.Failure.tooManyClients })
                    told += messages.count
                }
                #expect(told < crowd.count)
            }
            #expect(told > 0)
        }
    }

    /// Who has been refused has no need for long requests; who waits for a decision may have many regions to name.
    @Test(arguments: [true, false]) func whoIsRefusedHasShorterRequests(isDenied: Bool) async throws {
        var table = DecisionTable()
        if isDenied {
            let decision = Decision(.denied, by: "uid:0", time: UTCTime(seconds: 1_790_000_000))
            table.decide(decision, about: .uid(OtherUserClients.uid))
        }
        let decisions = table
        try await TestServer.run {
            $0.decisions = .known(decisions)
        } _: { server in
            let stranger = server.keep(try #require(await OtherUserClients.connect(to: server.locationPath).first))
            func ask(bytes: Int) async throws -> Message {
                let head = Array(request.utf8)
                try await stranger.send(bytes: head + Array(repeating: 0x20, count: bytes - head.count) + [0])
                return try await stranger.message()
            }
            #expect(try await ask(bytes: 16_384).error == nil)
            let longer = try await ask(bytes: 16_385)
            #expect(longer.error == (isDenied ? "org.varlink.service.InvalidParameter" : nil))
        }
    }

    @Test func limitsFollowTheConfiguration() async throws {
        try await TestServer.run { server in
            try await server.server.apply { $0.limits.clientsPerUser = 0 }
            let stranger = server.keep(
                try #require(await OtherUserClients.connect(to: server.locationPath, saying: request).first))
            try await expectRefusal(of: stranger, limit: 0)
        }
    }
}

struct AdmissionTests {
    @Test func limitsAreCounted() {
        var admission = Admission(limit: 3, limitPerUser: 2)
        #expect(admission.enter(uid: 1, isExempt: false) == .admitted)
        #expect(admission.enter(uid: 1, isExempt: false) == .admitted)
        #expect(admission.enter(uid: 1, isExempt: false) == .refused(limit: 2, isOwn: true))
        #expect(admission.enter(uid: 2, isExempt: false) == .admitted)
        #expect(admission.enter(uid: 2, isExempt: false) == .refused(limit: 3, isOwn: false))
        #expect(admission.enter(uid: 0, isExempt: true) == .admitted)
        #expect(admission.total == 4)
        #expect(admission.refused == 2)
        admission.leave(uid: 0)
        admission.leave(uid: 1)
        #expect(admission.enter(uid: 1, isExempt: false) == .admitted)
        #expect(admission.enter(uid: 1, isExempt: false) == .refused(limit: 2, isOwn: true))
    }

    @Test func limitOfOneUserIsToldApartWhereThatOfAllIsEqual() {
        var admission = Admission(limit: 1, limitPerUser: 1)
        #expect(admission.enter(uid: 1, isExempt: false) == .admitted)
        #expect(admission.enter(uid: 1, isExempt: false) == .refused(limit: 1, isOwn: true))
        #expect(admission.enter(uid: 2, isExempt: false) == .refused(limit: 1, isOwn: false))
    }

    @Test func capacityIsForEverybody() {
        var admission = Admission(limit: 9, limitPerUser: 9, capacity: 2)
        #expect(admission.enter(uid: 0, isExempt: true) == .admitted)
        #expect(admission.enter(uid: 1, isExempt: false) == .admitted)
        #expect(admission.enter(uid: 0, isExempt: true) == .refused(limit: 2, isOwn: false))
        #expect(admission.enter(uid: 1, isExempt: false) == .refused(limit: 2, isOwn: false))
        admission.leave(uid: 1)
        #expect(admission.enter(uid: 0, isExempt: true) == .admitted)
    }

    @Test func soManyAreRefusedInWordsAtATime() {
        var admission = Admission(limit: 0, limitPerUser: 9)
        for _ in 0..<Admission.refusedAtOncePerUser {
            #expect(admission.enter(uid: 1, isExempt: false) == .refused(limit: 0, isOwn: false))
        }
        #expect(admission.enter(uid: 1, isExempt: false) == .shut)
        admission.leaveRefused(uid: 1)
        #expect(admission.enter(uid: 1, isExempt: false) == .refused(limit: 0, isOwn: false))
        #expect(admission.enter(uid: 1, isExempt: false) == .shut)
        for uid in 2..<UInt32(2 + (Admission.refusedAtOnce - Admission.refusedAtOncePerUser)) {
            #expect(admission.enter(uid: uid, isExempt: false) == .refused(limit: 0, isOwn: false))
        }
        #expect(admission.enter(uid: 1000, isExempt: false) == .shut)
    }
}
