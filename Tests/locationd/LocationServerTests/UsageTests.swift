import Authorization
import LocationHub
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import LocationServer
import ProgramTestSupport
import ServerDoubles
import ServiceServer
@_spi(Programs) import SystemSupport
import Testing

/// What users see of the use of the position, over the wire.
@Suite(.timeLimit(.minutes(10)), .enabled(if: OtherUserClients.isPossible, "becoming other users takes root"))
struct UsageTests {
    private typealias Ask = LocationInterface.Method
    private typealias Admin = AdminInterface.Method

    private static let (anna, boris) = (OtherUserClients.uid, UInt32(65_532))

    private func run(
        _ change: (inout TestServer.Setup) -> Void = { _ in }, _ body: (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.run(
            {
                $0.settings.policy.rules = [Self.anna, Self.boris].map {
                    PolicyRule(.uid($0), .authorizedAlways, origin: "p:\($0)")
                }
                change(&$0)
            }, body)
    }

    private func user(_ server: TestServer, _ uid: UInt32 = anna) async throws -> WireClient {
        server.keep(try #require(await OtherUserClients.connect(to: server.locationPath, uid: uid).first))
    }

    private func usage(_ client: WireClient, _ parameters: String = "{}") async throws -> [LocationUsage] {
        try await client.call(Ask.watchUsage, parameters).parameters(as: UsageReply.self).usage
    }

    /// A watch that has received so many fixes.
    private func watcher(
        _ server: TestServer, _ parameters: String, of uid: UInt32 = anna, fixes: ClosedRange<Int>
    ) async throws -> WireClient {
        let client = try await user(server, uid)
        try await client.send(Ask.watch, parameters, flags: "\"more\":true")
        _ = try await client.message()
        for number in fixes {
            try server.post(fix: number)
            _ = try await client.location()
        }
        return client
    }

    @Test func locationsOfOwnProgramsAreCountedWhileTheyReceiveAndAfterwards() async throws {
        try await run { server in
            let maps = try await watcher(server, #"{"purpose":"maps\u202e"}"#, fixes: 1...7)
            let other = try await watcher(server, #"{"purpose":"of Boris"}"#, of: Self.boris, fixes: 8...9)
            for _ in 8...9 { _ = try await maps.location() }
            let asker = try await user(server)
            let now = try await usage(asker)
            #expect(now.count == 1 && now[0].program == #"maps\u{202e}"# && now[0].user == nil)
            #expect(now[0].locations == 9 && now[0].accuracy == .full && now[0].service == nil)
            #expect(now[0].since != nil && now[0].last != nil && now[0].pid != nil && now[0].countedSince != nil)
            #expect(try await usage(user(server, Self.boris)).map(\.program) == ["of Boris"])
            await maps.close()
            try await eventually("the watch has ended") { try await usage(asker).first?.since == nil }
            let then = try await usage(asker)
            #expect(then.map(\.locations) == [9] && then[0].pid == nil && then[0].last == now[0].last)
            await other.close()
        }
    }

    @Test func singleLocationIsCountedAndARefusedProgramIsNotListed() async throws {
        try await run { server in
            let watch = try await watcher(server, #"{"purpose":"maps"}"#, fixes: 1...1)
            let single = try await user(server)
            _ = try await single.call(Ask.requestAuthorization, #"{"level":"always","program":"weather"}"#)
            #expect(try await single.call(Ask.getLocation, #"{"maximumAge":3600}"#).error == nil)
            let listed = try await usage(single)
            #expect(listed.map(\.program) == ["maps", "weather"] && listed[1].locations == 1 && listed[1].since == nil)
            let stranger = try await user(server, 65_531)
            #expect(try await stranger.call(Ask.getLocation).error == LocationInterface.Failure.notAuthorized)
            #expect(try await usage(stranger).isEmpty)
            await watch.close()
        }
    }

    @Test func watchOfHeadingsAloneReceivesNoLocations() async throws {
        try await run { server in
            let compass = try await user(server)
            try await compass.send(Ask.watch, #"{"location":false,"heading":true}"#, flags: "\"more\":true")
            _ = try await compass.message()
            let monitor = try await user(server)
            try await monitor.send(
                Ask.monitor, #"{"visits":true,"purpose":"visits"}"#, flags: "\"more\":true")
            _ = try await monitor.message()
            #expect(try await usage(user(server)).map(\.program) == ["visits"])
        }
    }

    @Test func administratorsSeeAllOnTheControlSocketAlone() async throws {
        try await run { server in
            let anna = try await watcher(server, #"{"purpose":"maps"}"#, fixes: 1...1)
            let boris = try await watcher(server, #"{"purpose":"maps"}"#, of: Self.boris, fixes: 2...2)
            let all = try await usage(server.connect(.control), #"{"all":true}"#)
            #expect(
                all.compactMap(\.user).sorted() == [Self.boris, Self.anna] && all.allSatisfy { $0.program == "maps" })
            for client in [try await user(server), try server.connect()] {
                let refused = try await client.call(Ask.watchUsage, #"{"all":true}"#)
                #expect(refused.error == LocationInterface.Failure.notPermitted)
            }
            let page = try server.connect(.control)
            let served = #""onBehalfOf":{"uid":\#(Self.anna),"label":"web page"}"#
            #expect(
                try await page.call(Ask.watchUsage, "{\"all\":true,\(served)}").error
                    == LocationInterface.Failure.notPermitted, "a service has no rights of its own for a page")
            #expect(try await usage(page, "{\(served)}").map(\.user) == [nil])
            await anna.close()
            await boris.close()
        }
    }

    @Test func programOfABridgeIsNamedByItsLabel() async throws {
        try await run { server in
            let bridge = try server.connect(.control)
            let served = #"{"onBehalfOf":{"uid":\#(Self.anna),"label":"GeoClue: maps"}}"#
            try await bridge.send(Ask.watch, served, flags: "\"more\":true")
            _ = try await bridge.message()
            let own = try await usage(user(server))
            #expect(own.map(\.program) == ["GeoClue: maps"] && own[0].pid == nil)
            #expect(try await usage(server.connect()).isEmpty, "the bridge itself receives nothing")
        }
    }

    @Test func followerIsToldOfChangesAndOfTheEnd() async throws {
        try await run { server in
            let follower = try await user(server)
            try await follower.send(Ask.watchUsage, flags: "\"more\":true")
            let first = try await follower.message()
            #expect(try first.continues && first.parameters(as: UsageReply.self).usage.isEmpty)
            let other = try await watcher(server, "{}", of: Self.boris, fixes: 1...1)
            let maps = try await watcher(server, #"{"purpose":"maps"}"#, fixes: 2...2)
            var seen: [LocationUsage] = []
            while seen.first?.locations ?? 0 < 1 {
                seen = try await follower.message().parameters(as: UsageReply.self).usage
                #expect(seen.map(\.program) == ["maps"], "another user's programs cause no reply")
            }
            #expect(seen[0].locations <= 2 && seen[0].since != nil)
            try await server.stop()
            var last = try await follower.message()
            while last.continues { last = try await follower.message() }
            #expect(try last.parameters(as: UsageReply.self).usage.map(\.program) == ["maps"])
            await maps.close()
            await other.close()
        }
    }

    @Test func followersOfAUserAreLimited() async throws {
        try await run {
            $0.settings.limits.authorizationsPerUser = 2
        } _: { server in
            for _ in 1...2 {
                let follower = try await user(server)
                try await follower.send(Ask.watchUsage, flags: "\"more\":true")
                #expect(try await follower.message().error == nil)
            }
            let third = try await user(server)
            try await third.send(Ask.watchUsage, flags: "\"more\":true")
            #expect(try await third.message().error == LocationInterface.Failure.tooManyAuthorizations)
            let other = try await user(server, Self.boris)
            try await other.send(Ask.watchUsage, flags: "\"more\":true")
            #expect(try await other.message().error == nil)
        }
    }

    @Test func accuracyOfWhatWasSentBeforeAReductionIsKept() async throws {
        try await run {
            $0.settings.policy.rules = []
            var chance = SeededGenerator(seed: 3)
            $0.reduction = ReducedAccuracy(grid: AccuracyGrid(), displacement: .random(using: &chance))
        } _: { server in
            func decide(_ accuracy: String) async throws {
                let parameters =
                    #"{"principal":"uid:\#(Self.anna)","authorization":"authorizedAlways","accuracy":"\#(accuracy)"}"#
                #expect(try await server.connect(.control).call(Admin.setAuthorization, parameters).error == nil)
            }
            try await decide("reduced")
            let asker = try await user(server)
            try await asker.send(Ask.watch, #"{"purpose":"rough"}"#, flags: "\"more\":true")
            _ = try await asker.message()
            #expect(try await usage(user(server)).map(\.accuracy) == [.reduced])
            try await decide("full")
            let maps = try await watcher(server, #"{"purpose":"maps"}"#, fixes: 1...2)
            try await decide("reduced")
            let listed = try await usage(user(server))
            #expect(listed.first { $0.program == "maps" }?.accuracy == .full)
            await maps.close()
        }
    }

    @Test func useOfEarlierRunsComesFromTheAudit() async throws {
        var record = AuditRecord(
            .delivered, principal: "uid:\(Self.anna)", time: ServiceClock.machine.utc().advanced(bySeconds: -3600))
        (record.uid, record.purpose, record.accuracy) = (Int(Self.anna), "maps", .full)
        let records = [record]
        try await run {
            $0.hooks.recent = { records }
        } _: { server in
            let listed = try await usage(user(server))
            #expect(listed.map(\.program) == ["maps"] && listed[0].locations == 0 && listed[0].last != nil)
            #expect(try await usage(user(server, Self.boris)).isEmpty)
            #expect(try await server.client.usage().isEmpty, "root has no program")
        }
    }
}
