@_spi(Programs) import LocationInterface
import Testing

@_spi(Programs) @testable import LocationKit

/// Which client receives which events while the daemon is there.
@Suite struct WatchSharingEventTests {
    private typealias Script = SharingScript

    @Test func connectedComesOnceBeforeTheState() throws {
        var script = Script()
        script.setInterest(1, Script.interest(Script.locations, headings: true))
        _ = script.nextActions()
        let location = try Script.location(99)
        #expect(
            script.reply(Script.locations, status: Script.status(), location: location).events(for: 1) == [
                .connected, .status(Script.status()), .location(location, dropped: 0),
            ])
        #expect(script.reply(Script.headings, status: Script.status(.lost)).events(for: 1) == [])
        #expect(
            script.reply(Script.locations, status: Script.status(.lost)).events(for: 1) == [
                .status(Script.status(.lost))
            ])
        #expect(script.reply(Script.locations, status: Script.status(.lost, fixAge: 5)).events(for: 1) == [])
    }

    @Test func laterClientReceivesTheKnownState() throws {
        var script = Script()
        script.open(1, Script.interest(Script.locations))
        let location = try Script.location(100, accuracy: 30)
        _ = script.reply(Script.locations, location: location)
        script.now = 102.9
        script.setInterest(2, Script.interest(Script.locations))
        let actions = script.nextActions()
        let known: [TransportEvent] = [.connected, .status(Script.status())]
        #expect(actions.opened == [])
        #expect(actions.events(for: 1) == [])
        #expect(actions.events(for: 2) == known + [.location(location, dropped: 0)])
    }

    /// Its filter may hold locations back for long: the client that joins needs a first one.
    @Test func watchWhoseLastLocationIsOldIsOpenedAnewForWhoJoins() throws {
        var script = Script()
        let filtered = Script.locations(every: 100)
        script.open(1, Script.interest(filtered))
        _ = script.reply(filtered, location: try Script.location(100))
        script.now = 103
        #expect(script.nextActions() == [])
        script.setInterest(2, Script.interest(filtered))
        let actions = script.nextActions()
        #expect(actions == [.renew(filtered)])
        let next = try Script.location(103.5)
        let reply = script.reply(filtered, status: Script.status(), location: next)
        #expect(reply.events(for: 1) == [.location(next, dropped: 0)])
        #expect(reply.events(for: 2) == [.connected, .status(Script.status()), .location(next, dropped: 0)])
        _ = script.reply(filtered, status: Script.status(.lost))
        script.now = 110
        script.setInterest(3, Script.interest(filtered))
        #expect(!script.nextActions().contains(.renew(filtered)), "another would have no location either")
    }

    @Test(arguments: [(true, AuthorizationStatus.denied), (false, .authorizedAlways)])
    func locationIsClearedWithThePermission(_ enabled: Bool, _ authorization: AuthorizationStatus) throws {
        var script = Script()
        script.open(1, Script.interest(Script.locations))
        _ = script.reply(Script.locations, location: try Script.location(100))
        let refusal = Script.status(.stopped, authorization, enabled: enabled)
        _ = script.reply(Script.locations, status: refusal)
        script.setInterest(2, Script.interest(Script.locations))
        #expect(script.nextActions().events(for: 2) == [.connected, .status(refusal)])
    }

    @Test func noLocationIsDeliveredTwiceNorAnOlderOne() throws {
        var script = Script()
        script.open(1, Script.interest(Script.locations))
        let location = try Script.location(100)
        #expect(script.reply(Script.locations, location: location).events(for: 1) == [.location(location, dropped: 0)])
        #expect(script.reply(Script.locations, location: location) == [])
        #expect(script.reply(Script.locations, location: try Script.location(99)) == [])
        // It is not repeated after the interest has ended and begun again, either.
        script.setInterest(2, Script.interest(Script.locations))
        script.setInterest(1, Interest())
        _ = script.nextActions()
        script.setInterest(1, Script.interest(Script.locations))
        #expect(script.nextActions().events(for: 1) == [.connected, .status(Script.status())])
    }

    /// Within three seconds a client that joins is handed the last location, unless that is more accurate than it may
    /// know now.
    @Test func whoJoinsIsHandedNothingMoreAccurateThanTheStatusAllows() throws {
        var script = Script()
        script.open(1, Script.interest(Script.locations))
        let location = try Script.location(100)
        #expect(script.reply(Script.locations, location: location).events(for: 1) == [.location(location, dropped: 0)])
        script.setInterest(2, Script.interest(Script.locations))
        #expect(script.nextActions().events(for: 2).contains(.location(location, dropped: 0)))
        var reduced = Script.status()
        reduced.accuracy = .reduced
        _ = script.reply(Script.locations, status: reduced)
        script.setInterest(3, Script.interest(Script.locations))
        #expect(script.nextActions().events(for: 3) == [.connected, .status(reduced)])
    }

    @Test func lossIsCountedUntilALocationIsDelivered() throws {
        var script = Script()
        script.setInterest(1, Script.interest(Script.locations))
        _ = script.nextActions()
        _ = script.reply(Script.locations, status: Script.status(), location: try Script.location(100))
        let second = try Script.location(101)
        #expect(
            script.reply(Script.locations, location: second, dropped: 3).events(for: 1) == [
                .location(second, dropped: 3)
            ])
        let third = try Script.location(111)
        let last = script.reply(Script.locations, location: third, dropped: 4)
        #expect(last.events(for: 1) == [.location(third, dropped: 4)])
        for _ in 1...2 {
            #expect(script.reply(Script.locations, status: Script.status(.lost), dropped: .max).count <= 2)
        }
        let fourth = try Script.location(112)
        #expect(script.reply(Script.locations, location: fourth).events(for: 1) == [.location(fourth, dropped: .max)])
    }

    @Test func headingsAreDeliveredToInterestedClients() {
        var script = Script()
        script.setInterest(1, Script.interest(Script.locations))
        script.setInterest(2, Script.interest(headings: true))
        _ = script.nextActions()
        _ = script.reply(Script.locations, status: Script.status())
        _ = script.reply(Script.headings, status: Script.status())
        let actions = script.reply(Script.headings, heading: Heading())
        #expect(actions == [.deliver(Script.id(2), .heading(Heading()))])
    }

    @Test func removedClientReceivesNothing() {
        var script = Script()
        script.open(1, Script.interest(status: true))
        script.sharing.removeClient(Script.id(1))
        #expect(script.reply(Script.status, status: Script.status(.lost)) == [])
        #expect(script.nextActions() == [.close(Script.status)])
        #expect(script.reply(Script.status, status: Script.status()) == [])
    }
}
