import LocationHub
@_spi(Programs) import LocationModel
import Testing

/// Sources that give headings alone, beside those of locations.
@Suite struct CompassTests {
    /// The rank of the first compass of a server with one source of locations.
    private let compass = 1

    private func heading(_ degrees: Double?, true geographic: Double? = nil) -> Heading {
        var heading = Heading()
        heading.magneticHeading = degrees
        heading.trueHeading = geographic
        return heading
    }

    private func tell(_ server: inout ServerDouble, _ heading: Heading, from rank: Int = 1, device: String? = nil) {
        server.tell(.heading(heading, device: device, at: server.now), rank: rank)
    }

    @Test func compassRunsExactlyWhileHeadingsAreWanted() {
        var server = ServerDouble(compasses: 1)
        let location = server.watch()
        #expect(server.compassDemands.isEmpty)
        let first = server.watch { $0.heading = true }
        let second = server.watch { $0.heading = true }
        #expect(server.compassDemands == [true])
        server.end(first)
        #expect(server.compassDemands == [true])
        server.end(second)
        #expect(server.compassDemands == [true, false], "without a linger")
        #expect(server.demands == [true])
        server.end(location)
    }

    @Test func passiveAndReducedWatchesDoNotStartIt() {
        var server = ServerDouble(compasses: 1)
        _ = server.watch {
            $0.heading = true
            $0.passive = true
        }
        _ = server.watch(Permission(.authorizedAlways, accuracy: .reduced)) { $0.heading = true }
        _ = server.watch(Permission(.notDetermined)) { $0.heading = true }
        #expect(server.compassDemands.isEmpty)
    }

    @Test func permissionStartsAndStopsIt() {
        var server = ServerDouble(compasses: 1)
        let id = server.watch(Permission(.notDetermined)) { $0.heading = true }
        server.perform(server.hub.setPermission(.granted, of: [id], at: server.now))
        #expect(server.compassDemands == [true])
        server.perform(server.hub.setPermission(Permission(.denied), of: [id], at: server.now))
        #expect(server.compassDemands == [true, false])
    }

    @Test func switchStopsItAndStartsItAgain() {
        var server = ServerDouble(compasses: 1)
        _ = server.watch { $0.heading = true }
        server.setEnabled(false)
        server.setEnabled(true)
        #expect(server.compassDemands == [true, false, true])
    }

    @Test func headingsArriveAndThoseOfAStoppedCompassDoNot() {
        var server = ServerDouble(compasses: 1)
        let id = server.watch { $0.heading = true }
        tell(&server, heading(12))
        #expect(server.updates(id).compactMap(\.heading) == [heading(12)])
        server.end(id)
        let passive = server.watch {
            $0.heading = true
            $0.passive = true
        }
        tell(&server, heading(13))
        #expect(server.updates(passive).compactMap(\.heading).isEmpty)
    }

    @Test func compassIsNoStandby() {
        var server = ServerDouble(compasses: 1) { $0.failoverDelay = 5 }
        _ = server.watch { $0.everySource = true }
        server.pass(60)
        #expect(server.depths == [1])
        #expect(server.compassDemands.isEmpty)
    }

    @Test func troubleOfTheCompassIsNotThatOfTheLocations() {
        var server = ServerDouble(compasses: 1)
        let id = server.watch { $0.heading = true }
        server.tell(.condition(.connected(reason: nil)))
        server.tell(.condition(.unavailable(reason: "broken")), rank: compass)
        let status = server.statuses(id).last
        #expect(status?.source == .searching)
        #expect(status?.reason == nil)
        #expect(status?.headingAvailable == false)
        let seen = server.hub.status(for: .granted, at: server.now).compasses?.first
        #expect(seen?.name == "compass0")
        #expect(seen?.state == .unavailable)
        #expect(seen?.reason == "broken")
    }

    @Test func configuredCompassIsAvailableUntilItFails() {
        var server = ServerDouble(compasses: 1)
        func isAvailable() -> Bool? { server.hub.status(for: .granted, at: server.now).headingAvailable }
        #expect(isAvailable() == true, "before anybody has asked")
        let id = server.watch { $0.heading = true }
        server.tell(.condition(.unavailable(reason: "broken")), rank: compass)
        #expect(isAvailable() == false)
        server.end(id)
        #expect(isAvailable() == false, "it is remembered")
        let stopped = server.hub.status(for: .granted, at: server.now).compasses?.first
        #expect(stopped == RankedSource(name: "compass0", state: .stopped, reason: "broken"))
        _ = server.watch { $0.heading = true }
        server.tell(.condition(.connected(reason: nil)), rank: compass)
        #expect(isAvailable() == true)
        tell(&server, heading(1))
        server.tell(.condition(.unavailable(reason: "broken")), rank: compass)
        #expect(isAvailable() == false, "its last heading says nothing")
        server.setEnabled(false)
        #expect(isAvailable() == nil)
    }

    @Test func stateOfTheCompassIsShownApartFromTheSources() {
        var server = ServerDouble(compasses: 1)
        func state() -> SourceState? { server.hub.status(for: .granted, at: server.now).compasses?.first?.state }
        #expect(state() == .stopped)
        #expect(server.hub.status(for: .granted, at: server.now).sources == nil, "one source has no ranks")
        _ = server.watch { $0.heading = true }
        #expect(state() == .starting)
        server.tell(.condition(.connected(reason: nil)), rank: compass)
        #expect(state() == .searching)
        tell(&server, heading(1))
        #expect(state() == .tracking)
        server.pass(10)
        #expect(state() == .searching)
    }

    @Test func receiversChangesLeaveTheCompassAlone() {
        var server = ServerDouble(sources: 2, compasses: 1) { $0.failoverDelay = 5 }
        _ = server.watch { $0.heading = true }
        server.tell(.condition(.connected(reason: nil)), rank: 2)
        tell(&server, heading(1), from: 2)
        server.pass(5)
        #expect(server.depths == [1, 2])
        #expect(server.hub.condition(of: 2) == .connected(reason: nil))
    }

    @Test func receiverWithPitchAloneGivesWayToACompass() {
        var server = ServerDouble(compasses: 1)
        let id = server.watch { $0.heading = true }
        var attitude = Heading()
        attitude.pitch = 3
        tell(&server, attitude, from: 0, device: "/dev/gps0")
        tell(&server, heading(5))
        tell(&server, attitude, from: 0, device: "/dev/gps0")
        tell(&server, heading(6))
        #expect(server.updates(id).compactMap(\.heading) == [attitude, heading(5), heading(6)])
    }

    @Test func replacedSourcesKeepTheDemandForHeadings() {
        var server = ServerDouble(compasses: 1)
        let id = server.watch { $0.heading = true }
        server.perform(server.hub.replaceSources(ServerDouble.names(2), compasses: ["other"], at: server.now))
        tell(&server, heading(7), from: 2)
        #expect(server.updates(id).compactMap(\.heading) == [heading(7)])
        server.perform(server.hub.replaceSources(ServerDouble.names(1), at: server.now))
        server.end(id)
        #expect(server.compassDemands == [true, false])
    }

    @Test func compassAloneGivesNoLocations() {
        var server = ServerDouble(sources: 0, compasses: 1)
        let id = server.watch { $0.heading = true }
        #expect(server.statuses(id).last?.source == .unavailable)
        #expect(server.statuses(id).last?.reason == "no source of locations is configured; see locationd.toml")
        tell(&server, heading(7), from: 0)
        #expect(server.updates(id).compactMap(\.heading) == [heading(7)])
    }

    @Test func filterSendsHeadingsThatHaveTurnedEnough() {
        var server = ServerDouble(compasses: 1)
        let id = server.watch {
            $0.heading = true
            $0.headingFilter = 5
        }
        for degrees in [358.0, 2, 3, 359, 350] { tell(&server, heading(degrees)) }
        tell(&server, heading(350, true: 354))
        tell(&server, heading(350, true: 354))
        tell(&server, heading(nil))
        #expect(server.updates(id).compactMap(\.heading?.magneticHeading) == [358, 3, 350, 350])
    }

    @Test func filterIsThatOfTheWatchAndHoldsForSlowOnesToo() {
        var server = ServerDouble(compasses: 1)
        let slow = server.watch {
            $0.heading = true
            $0.headingFilter = 10
        }
        let other = server.watch { $0.heading = true }
        server.stalled.insert(slow)
        for degrees in [0.0, 15, 20, 30, 31] { tell(&server, heading(degrees)) }
        server.read(slow)
        #expect(server.updates(slow).compactMap(\.heading?.magneticHeading) == [0, 30])
        #expect(server.updates(other).compactMap(\.heading).count == 5)
    }
}
