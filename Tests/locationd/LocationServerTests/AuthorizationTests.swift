import Authorization
import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import LocationServer
import ProgramTestSupport
import Testing

/// Who may know, as the kernel tells who asks.
@Suite(.timeLimit(.minutes(10)), .enabled(if: OtherUserClients.isPossible, "becoming other users takes root"))
struct AuthorizationTests {
    @Test func strangerIsToldWhyAndGetsNoLocation() async throws {
        try await TestServer.run { server in
            let watch = try await server.watcher(isFirst: true)
            try server.post(fix: 1)
            _ = try await watch.location()
            let stranger = server.keep(try #require(await OtherUserClients.connect(to: server.locationPath).first))
            let status = try await stranger.call(LocationInterface.Method.getStatus).parameters(as: StatusReply.self)
                .status
            #expect(status.authorization == .notDetermined)
            #expect(!status.authorizationPending)
            let refusal = try await stranger.call(LocationInterface.Method.getLocation, #"{"maximumAge":1000}"#)
            #expect(refusal.error == LocationInterface.Failure.notAuthorized)
            #expect(!refusal.text.contains("latitude"))
            #expect(try refusal.explained.authorization == "notDetermined")
            #expect(try refusal.explained.reason?.contains("`sudo locctl authorize uid:65533`") == true)
        }
    }

    @Test func strangersWatchIsToldNothingAndMakesNoDemand() async throws {
        try await TestServer.run { server in
            var demands = server.demands.makeAsyncIterator()
            let stranger = server.keep(try #require(await OtherUserClients.connect(to: server.locationPath).first))
            try await stranger.send(
                LocationInterface.Method.watch, #"{"satellites":true,"heading":true,"everySource":true}"#,
                flags: "\"more\":true")
            let opening = try await stranger.message().update
            #expect(opening.status?.authorization == .notDetermined)
            #expect(opening.status?.source == .stopped)
            // The first demand is this one's.
            let watch = try await server.watcher(#"{"satellites":true,"heading":true}"#, isFirst: true)
            #expect(await demands.next() == true)
            for number in 1...20 { try server.post(fix: number) }
            server.post(.satellites([Satellite(gnss: "GPS", id: 1, used: true)], device: "/dev/ttyACM0", at: .present))
            server.post(.heading(Heading(), device: "/dev/ttyACM0", at: .present))
            for _ in 1...20 { _ = try await watch.location() }
            while try await watch.message().update.heading == nil {}
            await watch.close()
            #expect(await demands.next() == false)
            async let stopped: Void = server.stop()
            let updates = try await stranger.messagesUntilEnd().map { try $0.update }
            #expect(updates.allSatisfy { $0.status != nil })
            #expect(updates.allSatisfy { $0.location == nil && $0.satellites == nil && $0.heading == nil })
            #expect(updates.allSatisfy { $0.dropped == nil })
            // When the sources run is nothing to the stranger: after the opening there is the end alone.
            #expect(updates.compactMap(\.status?.source) == [.stopped])
            #expect(updates.last?.status?.reason == "stopping")
            try await stopped
        }
    }

    @Test func nobodyIsNobody() async throws {
        try await TestServer.run { server in
            let nobody = server.keep(
                try #require(await OtherUserClients.connect(to: server.locationPath, uid: Principal.overflowUID).first))
            try? await nobody.send(LocationInterface.Method.getStatus)
            #expect(try await nobody.messagesUntilEnd().isEmpty)
            let statistics = try await server.connect(.control).call(AdminInterface.Method.getStatistics)
                .parameters(as: StatisticsReply.self).statistics
            #expect(statistics.refusedConnections == 1)
            #expect(statistics.clients == 1)
        }
    }

    @Test func memberOfTheTrustedGroupMayKnowAndAdminister() async throws {
        try await TestServer.run { server in
            let group = try #require(AccessPolicy.strict.group)
            // Among more groups than the first look takes.
            let groups = (70_000..<70_100).map(UInt32.init) + [group]
            let member = server.keep(
                try #require(await OtherUserClients.connect(to: server.controlPath, groups: groups).first))
            let status = try await member.call(LocationInterface.Method.getStatus).parameters(as: StatusReply.self)
                .status
            #expect(status.authorization == .authorizedAlways)
            let clients = try await member.call(AdminInterface.Method.listClients).parameters(as: ClientList.self)
                .clients
            #expect(clients.map(\.principal) == ["uid:\(OtherUserClients.uid)"])
        }
    }

    @Test func daemonsOwnUserMayKnow() async throws {
        try await TestServer.run { server in
            let own = server.keep(
                try #require(
                    await OtherUserClients.connect(to: server.locationPath, uid: AccessPolicy.strict.daemonUID).first))
            let status = try await own.call(LocationInterface.Method.getStatus).parameters(as: StatusReply.self).status
            #expect(status.authorization == .authorizedAlways)
        }
    }

    @Test func strangerMayNotAdminister() async throws {
        try await TestServer.run { server in
            let stranger = server.keep(try #require(await OtherUserClients.connect(to: server.controlPath).first))
            for method in ["Stop", "ListClients", "Simulate", "Disconnect", "GetStatistics", "Nothing"] {
                let message = try await stranger.call("\(AdminInterface.name).\(method)")
                #expect(message.text == #"{"error":"org.varlink.service.PermissionDenied","parameters":{}}"#)
            }
            let status = try await stranger.call(LocationInterface.Method.getStatus).parameters(as: StatusReply.self)
                .status
            #expect(status.enabled)
        }
    }
}
