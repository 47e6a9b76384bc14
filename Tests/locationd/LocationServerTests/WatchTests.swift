import LocationHub
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import LocationServer
import Testing

@Suite(.timeLimit(.minutes(10)))
struct WatchTests {
    @Test func openingHasTheStatusAloneWhileNothingIsKnown() async throws {
        try await TestServer.run { server in
            let client = try server.connect()
            try await client.send(LocationInterface.Method.watch, flags: "\"more\":true")
            #expect(
                try await client.message().text
                    == #"{"continues":true,"parameters":{"status":{"accuracy":"full","authorization":"authorizedAlways","#
                    + #""authorizationPending":false,"enabled":true,"source":"stopped"}}}"#)
        }
    }

    @Test func openingHasTheFreshLocation() async throws {
        try await TestServer.run { server in
            let first = try await server.watcher(isFirst: true)
            try server.post(fix: 1)
            let location = try await first.location().update.location
            let second = try server.connect()
            try await second.send(LocationInterface.Method.watch, flags: "\"more\":true")
            let opening = try await second.message().update
            #expect(opening.status?.source == .tracking)
            #expect(opening.status?.fixAge == 0)
            #expect(opening.location == location)
        }
    }

    @Test func ordinaryFixIsTheSameBytesForAll() async throws {
        try await TestServer.run { server in
            var clients = [try await server.watcher(isFirst: true)]
            for _ in 1..<20 { clients.append(try await server.watcher()) }
            server.post(.fix(try Sample.fix()))
            for client in clients {
                #expect(try await client.message().update.status?.source == .tracking)
                #expect(
                    try await client.message().text
                        == #"{"continues":true,"parameters":{"location":{"age":0,"altitude":34.25,"augmentation":"dgps","#
                        + #""climb":-0.125,"course":271.5,"ellipsoidalAltitude":73.75,"hdop":0.875,"#
                        + #""horizontalAccuracy":2.5,"latitude":52.5163,"longitude":13.0001,"mode":"threeDimensional","#
                        + #""monotonicTime":4000000000,"satellitesUsed":9,"sequence":101,"#
                        + #""source":{"device":"/dev/ttyACM0","isReplayed":false,"isSimulated":false,"method":"gnss","name":"gpsd"},"#
                        + #""speed":5.25,"timestamp":"2026-01-01T00:00:01.000Z","verticalAccuracy":4.5}}}"#)
            }
        }
    }

    @Test func everyKindIsToldToThoseWhoAsk() async throws {
        try await TestServer.run { server in
            let curious = try await server.watcher(#"{"heading":true,"satellites":true}"#, isFirst: true)
            let plain = try await server.watcher()
            var satellite = Satellite(gnss: "GPS", id: 7, used: true)
            satellite.elevation = 20.5
            let sky = [satellite]
            server.post(.satellites(sky, device: "/dev/ttyACM0", at: .present))
            var heading = Heading()
            heading.trueHeading = 90.5
            server.post(.heading(heading, device: "/dev/ttyACM0", at: BootInstant(seconds: 4e9)))
            try server.post(fix: 1)
            #expect(try await curious.message().update.satellites == sky)
            #expect(try await curious.message().update.status?.headingAvailable == true)
            let told = try await curious.message().update.heading
            #expect(told?.value == heading)
            #expect(told?.age == 0)
            #expect(try await curious.location().update.location?.value.sequence == 101)
            let statuses = [try await plain.message().update, try await plain.message().update]
            #expect(statuses.allSatisfy { $0.status != nil && $0.heading == nil && $0.satellites == nil })
            #expect(try await plain.message().update.location?.value.sequence == 101)
        }
    }

    @Test func watchEndsWithItsLastLocationAndTheNextCallIsServed() async throws {
        try await TestServer.run { server in
            let client = try await server.watcher(#"{"maximumUpdates":2}"#, isFirst: true)
            try server.post(fix: 1)
            #expect(try await client.location().continues)
            try await client.send(LocationInterface.Method.getStatus)
            try server.post(fix: 2)
            let last = try await client.location()
            #expect(!last.continues)
            #expect(!last.text.contains("continues"))
            #expect(try await client.message().parameters(as: StatusReply.self).status.enabled)
        }
    }

    /// The place of a watch that ends goes to the next; the reply of another that ends with the same fix must not.
    @Test func lastLocationsReachTheirOwnWatches() async throws {
        try await TestServer.run { server in
            let once = #"{"maximumUpdates":1,"purpose":"once"}"#
            let eager = try await server.watcher(once, isFirst: true)
            try await eager.send(LocationInterface.Method.watch, #"{"maximumUpdates":3}"#, flags: "\"more\":true")
            let others = [try await server.watcher(once), try await server.watcher(once)]
            // What was sent before is in the server's hands when a later connection's call is answered.
            _ = try await server.connect().call(LocationInterface.Method.getStatus)
            try server.post(fix: 1)
            for client in others {
                let last = try await client.location()
                #expect(!last.continues)
                #expect(try last.update.status == nil)
            }
            #expect(try await !eager.location().continues)
            let opening = try await eager.message()
            #expect(opening.continues)
            #expect(try opening.update.status != nil)
            #expect(try opening.update.location?.value.sequence == 101)
            try server.post(fix: 2)
            #expect(try await eager.location().update.location?.value.sequence == 102)
        }
    }

    @Test func closingEndsTheWatchAndTheDemandAfterTheLinger() async throws {
        try await TestServer.run {
            $0.settings.hub.linger = 0.2
        } _: { server in
            var demands = server.demands.makeAsyncIterator()
            let client = try await server.watcher(isFirst: true)
            #expect(await demands.next() == true)
            let clock = ContinuousClock()
            let closed = clock.now
            await client.close()
            #expect(await demands.next() == false)
            #expect(clock.now - closed >= .milliseconds(195))
            let control = try server.connect(.control)
            let statistics = try await control.call(AdminInterface.Method.getStatistics)
                .parameters(as: StatisticsReply.self).statistics
            #expect(statistics.watches == 0)
            #expect(statistics.clients == 1)
            #expect(!statistics.demand)
        }
    }

    @Test func halfClosedWatchGoesOnUntilTheOtherHalfCloses() async throws {
        try await TestServer.run { server in
            var demands = server.demands.makeAsyncIterator()
            let client = try await server.watcher(isFirst: true)
            #expect(await demands.next() == true)
            await client.endWriting()
            try server.post(fix: 1)
            #expect(try await client.location().continues)
            await client.close()
            #expect(await demands.next() == false)
        }
    }
}
