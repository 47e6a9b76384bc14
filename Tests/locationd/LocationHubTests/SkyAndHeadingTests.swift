import LocationHub
@_spi(Programs) import LocationModel
import Testing

@Suite struct SkyAndHeadingTests {
    private func sky(_ count: Int, used: Int = 0) -> [Satellite] {
        (0..<count).map { Satellite(gnss: "GPS", id: $0 + 1, used: $0 < used) }
    }

    @Test func skyReachesWhoAskedForIt() {
        var server = ServerDouble()
        let asking = server.watch { $0.satellites = true }
        let other = server.watch()
        server.clear()
        server.tell(.satellites(sky(9, used: 4), device: "/dev/gps0", at: server.now))
        #expect(server.updates(asking).map(\.satellites?.count) == [9])
        #expect(server.updates(other).isEmpty, "satellites alone are no news")
        let status = server.hub.status(for: .granted, at: server.now)
        #expect(status.satellitesVisible == 9)
        #expect(status.satellitesUsed == 4)
    }

    @Test func oldSkyIsNotShown() {
        var server = ServerDouble()
        _ = server.watch()
        server.tell(.satellites(sky(9), device: "/dev/gps0", at: server.now))
        server.pass(10)
        #expect(server.hub.status(for: .granted, at: server.now).satellitesVisible == nil)
    }

    @Test func skyIsNotShownWhileSwitchedOff() {
        var server = ServerDouble()
        _ = server.watch()
        server.tell(.satellites(sky(9), device: "/dev/gps0", at: server.now))
        server.setEnabled(false)
        #expect(server.hub.status(for: .granted, at: server.now).satellitesVisible == nil)
    }

    @Test func skyIsTheFollowedReceivers() {
        var server = ServerDouble()
        let id = server.watch { $0.satellites = true }
        server.tell(.satellites(sky(3), device: "/dev/gps1", at: server.now))
        server.fix("/dev/gps0")
        server.clear()
        server.tell(.satellites(sky(4), device: "/dev/gps1", at: server.now))
        server.tell(.satellites(sky(5), device: "/dev/gps0", at: server.now))
        #expect(server.updates(id).compactMap(\.satellites?.count) == [5])
    }

    @Test func skyOfNewReceiverIsShownOnceTheOldOneIsSilent() {
        var server = ServerDouble()
        let id = server.watch { $0.satellites = true }
        server.fix("/dev/gps0")
        server.tell(.satellites(sky(5), device: "/dev/gps0", at: server.now))
        server.pass(10)
        server.tell(.satellites(sky(6), device: "/dev/gps1", at: server.now))
        #expect(server.updates(id).compactMap(\.satellites?.count) == [5, 6])
        #expect(server.hub.status(for: .granted, at: server.now).satellitesVisible == 6)
    }

    @Test func headingReachesWhoAskedAndItsPresenceIsNews() {
        var server = ServerDouble()
        let asking = server.watch { $0.heading = true }
        let other = server.watch()
        server.clear()
        var heading = Heading()
        heading.magneticHeading = 12
        let measured = server.now
        server.pass(0.5)
        server.tell(.heading(heading, device: "/dev/gps0", at: measured))
        server.tell(.heading(heading, device: "/dev/gps0", at: measured))
        #expect(server.updates(asking).compactMap(\.heading) == [heading, heading])
        #expect(server.updates(asking).compactMap(\.headingTime) == [measured, measured])
        #expect(server.statuses(other).map(\.headingAvailable) == [true])
        #expect(server.updates(other).count == 1)
    }

    @Test func oneCompassIsListenedToUntilItFallsSilent() {
        var server = ServerDouble()
        let id = server.watch { $0.heading = true }
        func heading(_ degrees: Double) -> Heading {
            var heading = Heading()
            heading.trueHeading = degrees
            return heading
        }
        server.tell(.heading(heading(1), device: "/dev/a", at: server.now))
        server.tell(.heading(heading(2), device: "/dev/b", at: server.now))
        server.pass(3)
        server.tell(.heading(heading(3), device: "/dev/b", at: server.now))
        server.tell(.heading(heading(4), device: "/dev/a", at: server.now))
        #expect(server.updates(id).compactMap(\.heading?.trueHeading) == [1, 3])
    }

    @Test func compassOfEarlierRunIsForgotten() {
        var server = ServerDouble()
        let id = server.watch()
        server.tell(.heading(Heading(), device: "/dev/a", at: server.now))
        #expect(server.statuses(id).last?.headingAvailable == true)
        server.end(id)
        server.pass(6)
        let next = server.watch()
        #expect(server.statuses(next).last?.headingAvailable == nil)
    }
}
