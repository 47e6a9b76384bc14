import Authorization
import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import LocationServer
import ProgramTestSupport
import Testing

/// What clients get while what they may know changes.
@Suite(.timeLimit(.minutes(10)), .enabled(if: OtherUserClients.isPossible, "becoming other users takes root"))
struct RevocationTests {
    private typealias Admin = AdminInterface.Method

    private func decide(
        _ answer: String, _ server: TestServer, principal: String = "uid:65533", accuracy: String = "full"
    ) async throws {
        let parameters = #"{"principal":"\#(principal)","authorization":"\#(answer)","accuracy":"\#(accuracy)"}"#
        let reply = try await server.connect(.control).call(Admin.setAuthorization, parameters)
        guard reply.error == nil else { throw Failure("not decided: \(reply.text)") }
    }

    private func watching(_ server: TestServer, unit: String? = nil) async throws -> WireClient {
        let stranger = server.keep(
            try #require(await OtherUserClients.connect(to: server.locationPath, unit: unit).first))
        try await stranger.send(LocationInterface.Method.watch, "{}", flags: "\"more\":true")
        return stranger
    }

    @Test func revokedWatchIsToldAndGetsNothingEverAfter() async throws {
        try await TestServer.run { server in
            let other = try await server.watcher(isFirst: true)
            try await decide("authorizedAlways", server)
            let stranger = try await watching(server)
            #expect(try await stranger.message().update.status?.authorization == .authorizedAlways)
            try server.post(fix: 1)
            _ = try await stranger.location()
            _ = try await other.location()
            try await decide("denied", server)
            // Its decision was answered after the watch was told.
            #expect(try await stranger.message().update.status?.authorization == .denied)
            for number in 2...20 { try server.post(fix: number) }
            for _ in 2...20 { _ = try await other.location() }
            async let stopped: Void = server.stop()
            for update in try await stranger.messagesUntilEnd() {
                #expect(try update.update.location == nil)
                #expect(!update.text.contains("latitude"))
            }
            try await stopped
        }
    }

    @Test func grantedWatchGetsTheNextFix() async throws {
        try await TestServer.run { server in
            var demands = server.demands.makeAsyncIterator()
            let stranger = try await watching(server)
            #expect(try await stranger.message().update.status?.authorization == .notDetermined)
            try await decide("authorizedAlways", server)
            #expect(await demands.next() == true)
            try server.post(fix: 1)
            #expect(try await stranger.location().update.location?.value.sequence == 101)
        }
    }

    @Test func pendingRequestForALocationEndsWithTheReason() async throws {
        try await TestServer.run { server in
            try await decide("authorizedAlways", server)
            let stranger = server.keep(try #require(await OtherUserClients.connect(to: server.locationPath).first))
            try await stranger.send(LocationInterface.Method.getLocation)
            let control = try server.connect(.control)
            while try await control.call(Admin.getStatistics).parameters(as: StatisticsReply.self).statistics.requests
                == 0
            {}
            try await decide("denied", server)
            let refusal = try await stranger.message()
            #expect(refusal.error == LocationInterface.Failure.notAuthorized)
            #expect(try refusal.explained.authorization == "denied")
            // It goes on being served.
            #expect(try await stranger.call(LocationInterface.Method.getStatus).error == nil)
        }
    }

    @Test func passiveRequestOfTheRevokedGetsOneAnswerWithoutLocation() async throws {
        try await TestServer.run { server in
            try await decide("authorizedAlways", server)
            // The watch is all the demand there is; with it ends what the request waits for.
            let stranger = try await watching(server)
            _ = try await stranger.message()
            let asking = server.keep(try #require(await OtherUserClients.connect(to: server.locationPath).first))
            try await asking.send(
                LocationInterface.Method.getLocation, #"{"passive":true,"requiredAccuracy":1,"timeout":60}"#)
            let control = try server.connect(.control)
            while try await control.call(Admin.getStatistics).parameters(as: StatisticsReply.self).statistics.requests
                == 0
            {}
            try server.post(fix: 1)
            _ = try await stranger.location()
            try await decide("denied", server)
            let refusal = try await asking.message()
            #expect(refusal.error == LocationInterface.Failure.notAuthorized)
            #expect(!refusal.text.contains("latitude"))
            #expect(try await asking.call(LocationInterface.Method.getStatus).error == nil, "nothing came in between")
        }
    }

    @Test func policyThatChangesReachesLiveWatches() async throws {
        try await TestServer.run { server in
            let stranger = try await watching(server)
            _ = try await stranger.message()
            try await server.server.apply { settings in
                settings.policy.rules = [PolicyRule(.everyone, .authorizedAlways, origin: "policy.toml:1")]
            }
            #expect(try await stranger.message().update.status?.authorization == .authorizedAlways)
            try await server.server.apply { settings in
                settings.policy.rules = [PolicyRule(.uid(OtherUserClients.uid), .restricted, origin: "policy.toml:7")]
            }
            while let status = try await stranger.message().update.status {
                guard status.authorization == .restricted else { continue }
                #expect(status.reason?.contains("policy.toml:7") == true)
                break
            }
        }
    }

    @Test func whenInUseFollowsTheLoginSession() async throws {
        let sessions = FakeLoginSessions()
        try await TestServer.run {
            $0.sessions = sessions
        } _: { server in
            var demands = server.demands.makeAsyncIterator()
            try await decide("authorizedWhenInUse", server)
            let stranger = try await watching(server)
            let absent = try await stranger.message().update.status
            #expect(absent?.authorization == .authorizedWhenInUse)
            #expect(absent?.reason?.contains("no active login session") == true)
            let asking = server.keep(try #require(await OtherUserClients.connect(to: server.locationPath).first))
            let refusal = try await asking.call(LocationInterface.Method.getLocation)
            #expect(refusal.error == LocationInterface.Failure.notAuthorized)
            #expect(try refusal.explained.authorization == "authorizedWhenInUse")
            sessions.logIn(OtherUserClients.uid)
            #expect(await demands.next() == true)
            try server.post(fix: 1)
            _ = try await stranger.location()
            sessions.logOut(OtherUserClients.uid)
            #expect(await demands.next() == false)
            let away = try await stranger.message().update
            #expect(away.location == nil)
            #expect(away.status?.reason?.contains("no active login session") == true)
            sessions.logIn(OtherUserClients.uid)
            #expect(await demands.next() == true)
            try server.post(fix: 2)
            _ = try await stranger.location()
            #expect(sessions.observers == 1)
        }
        #expect(sessions.observers == 0)
    }

    @Test func withoutALoginManagerNobodyIsInUse() async throws {
        try await TestServer.run {
            $0.sessions = FakeLoginSessions(active: [OtherUserClients.uid], isPresent: false)
        } _: { server in
            try await decide("authorizedWhenInUse", server)
            let stranger = try await watching(server)
            let status = try await stranger.message().update.status
            #expect(status?.reason?.contains("no login manager") == true)
        }
    }

    @Test(.enabled(if: OtherUserClients.isPossibleInUnit, "needs a control group of one's own"))
    func unitIsAPrincipalOfItsOwn() async throws {
        try await TestServer.run { server in
            let unit = "locationd-test-\(getpid()).service"
            let inside = try await watching(server, unit: unit)
            let outside = try await watching(server)
            _ = try await inside.message()
            _ = try await outside.message()
            try await decide("authorizedAlways", server, principal: "unit:\(unit)")
            #expect(try await inside.message().update.status?.authorization == .authorizedAlways)
            let clients = try await server.connect(.control).call(Admin.listClients).parameters(as: ClientList.self)
                .clients.map(\.principal)
            #expect(clients.contains("unit:\(unit)") && clients.contains("uid:65533"))
            // A denial of the user wins over what its unit was granted.
            try await decide("denied", server)
            while try await outside.message().update.status?.authorization != .denied {}
            while try await inside.message().update.status?.authorization != .denied {}
        }
    }

    @Test func connectionEndsWithTheProcessThatMadeIt() async throws {
        try await TestServer.run { server in
            try await decide("authorizedAlways", server)
            let stranger = try await watching(server)
            _ = try await stranger.message()
            try server.post(fix: 1)
            _ = try await stranger.location()
            let process = try #require(stranger.process)
            try await process.end()
            // The test still holds the socket, as a child of that process would.
            for message in try await stranger.messagesUntilEnd() { #expect(try message.update.location == nil) }
            let control = try server.connect(.control)
            while try await control.call(Admin.listClients).parameters(as: ClientList.self)
                .clients.contains(where: { $0.principal == "uid:65533" })
            {}
        }
    }

    @Test func reducedWatchIsToldTheRoughPositionOnly() async throws {
        try await TestServer.run { setup in
            var chance = SeededGenerator(seed: 3)
            setup.reduction = ReducedAccuracy(grid: AccuracyGrid(), displacement: .random(using: &chance))
        } _: { server in
            try await decide("authorizedAlways", server, accuracy: "reduced")
            let stranger = try await watching(server)
            #expect(try await stranger.message().update.status?.accuracy == .reduced)
            try server.post(fix: 1)
            let message = try await stranger.location()
            let location = try #require(try message.update.location?.value)
            #expect(location.horizontalAccuracy ?? 0 >= 2000)
            for key in ["altitude", "speed", "course", "satellites", "climb", "dop", "magnetic"] {
                #expect(!message.text.contains(key), "\(key)")
            }
        }
    }
}
