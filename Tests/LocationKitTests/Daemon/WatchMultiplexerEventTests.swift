import LocationInterface
import Testing

@testable import LocationKit

/// Who is told what while the daemon is there.
@Suite struct WatchMultiplexerEventTests {
    private typealias Script = MultiplexerScript

    @Test func connectedComesOnceBeforeTheState() throws {
        var script = Script()
        script.wish(1, Script.wish(LocationFilter(), headings: true))
        _ = script.settle()
        let location = try Script.location(99)
        #expect(
            script.told(.locations, status: Script.status(), location: location).events(for: 1) == [
                .connected, .status(Script.status()), .location(location, dropped: 0),
            ])
        #expect(script.told(.headings, status: Script.status(.lost)).events(for: 1) == [])
        #expect(script.told(.locations, status: Script.status(.lost)).events(for: 1) == [.status(Script.status(.lost))])
        #expect(script.told(.locations, status: Script.status(.lost, fixAge: 5)).events(for: 1) == [])
    }

    @Test func whoComesLaterIsToldWhatIsKnown() throws {
        var script = Script()
        script.open(1, Script.wish(LocationFilter()), .locations)
        let location = try Script.location(100, accuracy: 30)
        _ = script.told(.locations, location: location)
        script.now = 102.9
        script.wish(2, Script.wish(LocationFilter()))
        script.wish(3, Script.wish(LocationFilter(requiredAccuracy: 10)))
        script.wish(4, Script.wish(status: true))
        let actions = script.settle()
        let known: [TransportEvent] = [.connected, .status(Script.status())]
        #expect(actions.opened == [])
        #expect(actions.events(for: 1) == [])
        #expect(actions.events(for: 2) == known + [.location(location, dropped: 0)])
        #expect(actions.events(for: 3) == known)
        #expect(actions.events(for: 4) == known)
        script.now = 103
        script.wish(5, Script.wish(LocationFilter()))
        #expect(script.settle().events(for: 5) == known)
    }

    @Test(arguments: [(true, AuthorizationStatus.denied), (false, .authorizedAlways)])
    func locationIsForgottenWithThePermission(_ enabled: Bool, _ authorization: AuthorizationStatus) throws {
        var script = Script()
        script.open(1, Script.wish(LocationFilter()), .locations)
        _ = script.told(.locations, location: try Script.location(100))
        let refusal = Script.status(.stopped, authorization, enabled: enabled)
        _ = script.told(.locations, status: refusal)
        script.wish(2, Script.wish(LocationFilter()))
        #expect(script.settle().events(for: 2) == [.connected, .status(refusal)])
    }

    @Test func noLocationIsToldTwiceNorAnOlderOne() throws {
        var script = Script()
        script.open(1, Script.wish(LocationFilter()), .locations)
        let location = try Script.location(100)
        #expect(script.told(.locations, location: location).events(for: 1) == [.location(location, dropped: 0)])
        #expect(script.told(.locations, location: location) == [])
        #expect(script.told(.locations, location: try Script.location(99)) == [])
        // Neither after the wish has ended and begun again.
        script.wish(2, Script.wish(LocationFilter()))
        script.wish(1, Interest())
        _ = script.settle()
        script.wish(1, Script.wish(LocationFilter()))
        #expect(script.settle().events(for: 1) == [.connected, .status(Script.status())])
    }

    @Test func eachClientHasItsFilter() throws {
        var script = Script()
        script.wish(1, Script.wish(LocationFilter(distance: 10)))
        script.wish(2, Script.wish(LocationFilter(distance: 25)))
        _ = script.settle()
        _ = script.told(.locations, status: Script.status())
        var counts = [0, 0]
        for step in 0...10 {
            let actions = script.told(
                .locations, location: try Script.location(100 + Double(step), metres: Double(step) * 10.5))
            for number in 1...2 { counts[number - 1] += actions.events(for: number).count }
        }
        // 0, 10.5, 21, ... and 0, 31.5, 63, 94.5.
        #expect(counts == [11, 4])
    }

    @Test func afterAnAbsenceTheNextLocationIsNewsToAll() throws {
        var script = Script()
        script.wish(1, Script.wish(LocationFilter(distance: 10)))
        script.wish(2, Script.wish(LocationFilter(distance: 25)))
        _ = script.settle()
        _ = script.told(.locations, status: Script.status(), location: try Script.location(100))
        _ = script.told(.locations, status: Script.status(.lost))
        _ = script.told(.locations, status: Script.status())
        let actions = script.told(.locations, location: try Script.location(120, metres: 1))
        for number in 1...2 { #expect(actions.events(for: number).count == 1) }
        #expect(script.told(.locations, location: try Script.location(121, metres: 2)) == [])
    }

    @Test func lossIsCountedUntilALocationIsTold() throws {
        var script = Script()
        script.wish(1, Script.wish(LocationFilter()))
        script.wish(2, Script.wish(LocationFilter(interval: 10)))
        _ = script.settle()
        _ = script.told(.locations, status: Script.status(), location: try Script.location(100))
        let second = try Script.location(101)
        #expect(script.told(.locations, location: second, dropped: 3).events(for: 1) == [.location(second, dropped: 3)])
        let third = try Script.location(111)
        let last = script.told(.locations, location: third, dropped: 4)
        #expect(last.events(for: 1) == [.location(third, dropped: 4)])
        #expect(last.events(for: 2) == [.location(third, dropped: 7)])
        for _ in 1...2 { #expect(script.told(.locations, status: Script.status(.lost), dropped: .max).count <= 2) }
        let fourth = try Script.location(112)
        #expect(script.told(.locations, location: fourth).events(for: 1) == [.location(fourth, dropped: .max)])
    }

    @Test func headingsGoToThoseWhoWishThem() {
        var script = Script()
        script.wish(1, Script.wish(LocationFilter()))
        script.wish(2, Script.wish(headings: true))
        _ = script.settle()
        _ = script.told(.locations, status: Script.status())
        _ = script.told(.headings, status: Script.status())
        let actions = script.told(.headings, heading: Heading())
        #expect(actions == [.tell(Script.id(2), .heading(Heading()))])
    }

    @Test func stateGoesOnWithAnotherWatch() {
        var script = Script()
        script.open(1, Script.wish(status: true), .status)
        script.wish(2, Script.wish(LocationFilter()))
        #expect(script.settle().events(for: 1) == [])
        let actions = script.told(.locations, status: Script.status(.lost))
        #expect(actions.events(for: 1) == [.status(Script.status(.lost))])
        #expect(actions.events(for: 2) == [.connected, .status(Script.status(.lost))])
        script.wish(2, Interest())
        #expect(script.settle().events(for: 1) == [])
        #expect(script.told(.status, status: Script.status(.lost)).events(for: 1) == [])
    }

    @Test func whoIsGoneIsToldNothing() {
        var script = Script()
        script.open(1, Script.wish(status: true), .status)
        script.link.forget(Script.id(1))
        #expect(script.told(.status, status: Script.status(.lost)) == [])
        #expect(script.settle() == [.close(.status)])
        #expect(script.told(.status, status: Script.status()) == [])
    }
}
