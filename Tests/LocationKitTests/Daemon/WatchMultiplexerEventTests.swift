import LocationInterface
import Testing

@testable import LocationKit

/// Which client receives which events while the daemon is there.
@Suite struct WatchMultiplexerEventTests {
    private typealias Script = MultiplexerScript

    @Test func connectedComesOnceBeforeTheState() throws {
        var script = Script()
        script.setInterest(1, Script.interest(LocationFilter(), headings: true))
        _ = script.nextActions()
        let location = try Script.location(99)
        #expect(
            script.reply(.locations, status: Script.status(), location: location).events(for: 1) == [
                .connected, .status(Script.status()), .location(location, dropped: 0),
            ])
        #expect(script.reply(.headings, status: Script.status(.lost)).events(for: 1) == [])
        #expect(
            script.reply(.locations, status: Script.status(.lost)).events(for: 1) == [.status(Script.status(.lost))])
        #expect(script.reply(.locations, status: Script.status(.lost, fixAge: 5)).events(for: 1) == [])
    }

    @Test func laterClientReceivesTheKnownState() throws {
        var script = Script()
        script.open(1, Script.interest(LocationFilter()), .locations)
        let location = try Script.location(100, accuracy: 30)
        _ = script.reply(.locations, location: location)
        script.now = 102.9
        script.setInterest(2, Script.interest(LocationFilter()))
        script.setInterest(3, Script.interest(LocationFilter(requiredAccuracy: 10)))
        script.setInterest(4, Script.interest(status: true))
        let actions = script.nextActions()
        let known: [TransportEvent] = [.connected, .status(Script.status())]
        #expect(actions.opened == [])
        #expect(actions.events(for: 1) == [])
        #expect(actions.events(for: 2) == known + [.location(location, dropped: 0)])
        #expect(actions.events(for: 3) == known)
        #expect(actions.events(for: 4) == known)
        script.now = 103
        script.setInterest(5, Script.interest(LocationFilter()))
        #expect(script.nextActions().events(for: 5) == known)
    }

    @Test(arguments: [(true, AuthorizationStatus.denied), (false, .authorizedAlways)])
    func locationIsClearedWithThePermission(_ enabled: Bool, _ authorization: AuthorizationStatus) throws {
        var script = Script()
        script.open(1, Script.interest(LocationFilter()), .locations)
        _ = script.reply(.locations, location: try Script.location(100))
        let refusal = Script.status(.stopped, authorization, enabled: enabled)
        _ = script.reply(.locations, status: refusal)
        script.setInterest(2, Script.interest(LocationFilter()))
        #expect(script.nextActions().events(for: 2) == [.connected, .status(refusal)])
    }

    @Test func noLocationIsDeliveredTwiceNorAnOlderOne() throws {
        var script = Script()
        script.open(1, Script.interest(LocationFilter()), .locations)
        let location = try Script.location(100)
        #expect(script.reply(.locations, location: location).events(for: 1) == [.location(location, dropped: 0)])
        #expect(script.reply(.locations, location: location) == [])
        #expect(script.reply(.locations, location: try Script.location(99)) == [])
        // It is not repeated after the interest has ended and begun again, either.
        script.setInterest(2, Script.interest(LocationFilter()))
        script.setInterest(1, Interest())
        _ = script.nextActions()
        script.setInterest(1, Script.interest(LocationFilter()))
        #expect(script.nextActions().events(for: 1) == [.connected, .status(Script.status())])
    }

    @Test func eachClientHasItsFilter() throws {
        var script = Script()
        script.setInterest(1, Script.interest(LocationFilter(distance: 10)))
        script.setInterest(2, Script.interest(LocationFilter(distance: 25)))
        _ = script.nextActions()
        _ = script.reply(.locations, status: Script.status())
        var counts = [0, 0]
        for step in 0...10 {
            let actions = script.reply(
                .locations, location: try Script.location(100 + Double(step), metres: Double(step) * 10.5))
            for number in 1...2 { counts[number - 1] += actions.events(for: number).count }
        }
        // 0, 10.5, 21, ... and 0, 31.5, 63, 94.5.
        #expect(counts == [11, 4])
    }

    @Test func afterAnAbsenceTheNextLocationIsDeliveredToAll() throws {
        var script = Script()
        script.setInterest(1, Script.interest(LocationFilter(distance: 10)))
        script.setInterest(2, Script.interest(LocationFilter(distance: 25)))
        _ = script.nextActions()
        _ = script.reply(.locations, status: Script.status(), location: try Script.location(100))
        _ = script.reply(.locations, status: Script.status(.lost))
        _ = script.reply(.locations, status: Script.status())
        let actions = script.reply(.locations, location: try Script.location(120, metres: 1))
        for number in 1...2 { #expect(actions.events(for: number).count == 1) }
        #expect(script.reply(.locations, location: try Script.location(121, metres: 2)) == [])
    }

    @Test func lossIsCountedUntilALocationIsDelivered() throws {
        var script = Script()
        script.setInterest(1, Script.interest(LocationFilter()))
        script.setInterest(2, Script.interest(LocationFilter(interval: 10)))
        _ = script.nextActions()
        _ = script.reply(.locations, status: Script.status(), location: try Script.location(100))
        let second = try Script.location(101)
        #expect(
            script.reply(.locations, location: second, dropped: 3).events(for: 1) == [.location(second, dropped: 3)])
        let third = try Script.location(111)
        let last = script.reply(.locations, location: third, dropped: 4)
        #expect(last.events(for: 1) == [.location(third, dropped: 4)])
        #expect(last.events(for: 2) == [.location(third, dropped: 7)])
        for _ in 1...2 { #expect(script.reply(.locations, status: Script.status(.lost), dropped: .max).count <= 2) }
        let fourth = try Script.location(112)
        #expect(script.reply(.locations, location: fourth).events(for: 1) == [.location(fourth, dropped: .max)])
    }

    @Test func headingsAreDeliveredToInterestedClients() {
        var script = Script()
        script.setInterest(1, Script.interest(LocationFilter()))
        script.setInterest(2, Script.interest(headings: true))
        _ = script.nextActions()
        _ = script.reply(.locations, status: Script.status())
        _ = script.reply(.headings, status: Script.status())
        let actions = script.reply(.headings, heading: Heading())
        #expect(actions == [.deliver(Script.id(2), .heading(Heading()))])
    }

    @Test func stateGoesOnWithAnotherWatch() {
        var script = Script()
        script.open(1, Script.interest(status: true), .status)
        script.setInterest(2, Script.interest(LocationFilter()))
        #expect(script.nextActions().events(for: 1) == [])
        let actions = script.reply(.locations, status: Script.status(.lost))
        #expect(actions.events(for: 1) == [.status(Script.status(.lost))])
        #expect(actions.events(for: 2) == [.connected, .status(Script.status(.lost))])
        script.setInterest(2, Interest())
        #expect(script.nextActions().events(for: 1) == [])
        #expect(script.reply(.status, status: Script.status(.lost)).events(for: 1) == [])
    }

    @Test func removedClientReceivesNothing() {
        var script = Script()
        script.open(1, Script.interest(status: true), .status)
        script.multiplexer.removeClient(Script.id(1))
        #expect(script.reply(.status, status: Script.status(.lost)) == [])
        #expect(script.nextActions() == [.close(.status)])
        #expect(script.reply(.status, status: Script.status()) == [])
    }
}
