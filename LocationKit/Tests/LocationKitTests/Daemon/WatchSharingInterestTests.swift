@_spi(Programs) import LocationInterface
import Testing

@_spi(Programs) @testable import LocationKit

/// Which watches are open, and with which parameters.
@Suite struct WatchSharingInterestTests {
    private typealias Script = SharingScript

    @Test func withoutClientsThereIsNoWatch() {
        var script = Script()
        #expect(script.nextActions() == [])
        script.setInterest(1, Script.interest(status: true))
        script.setInterest(1, Interest())
        #expect(script.nextActions() == [])
    }

    @Test func manyClientsShareOneWatch() {
        var script = Script()
        for number in 1...300 { script.setInterest(number, Script.interest(Script.locations)) }
        #expect(script.nextActions().opened == [Script.locations])
        for number in 1...299 { script.setInterest(number, Interest()) }
        #expect(script.nextActions() == [])
        script.setInterest(300, Interest())
        #expect(script.nextActions() == [.close(Script.locations)])
    }

    @Test func clientThatJoinsAPausedWatchOpensAnother() throws {
        var script = Script()
        var pausing = WatchRequest()
        pausing.pausesAutomatically = true
        script.open(1, Script.interest(pausing))
        var status = Script.status()
        status.paused = true
        #expect(script.reply(pausing, status: status).events(for: 1) == [.status(status)])
        #expect(script.nextActions() == [], "it stays while nobody joins")
        script.setInterest(2, Script.interest(pausing))
        #expect(script.nextActions() == [.renew(pausing)])
        #expect(script.reply(pausing, status: Script.status()).events(for: 2).first == .connected)
    }

    @Test func clientHasAWatchForLocationsAndOneForHeadings() {
        var script = Script()
        script.setInterest(1, Script.interest(Script.locations, headings: true, status: true))
        #expect(Set(script.nextActions()) == [.open(Script.locations), .open(Script.headings)])
        script.setInterest(2, Script.interest(status: true))
        #expect(script.nextActions() == [.open(Script.status)], "that of the other would be paused with its locations")
    }

    @Test func otherParametersOpenAnother() throws {
        var script = Script()
        script.open(1, Script.interest(Script.locations(every: 10)))
        script.setInterest(2, Script.interest(Script.locations(every: 20)))
        #expect(script.nextActions() == [.open(Script.locations(every: 20))])
        script.setInterest(1, Script.interest(Script.locations(every: 5)))
        #expect(script.nextActions() == [.close(Script.locations(every: 10)), .open(Script.locations(every: 5))])
        #expect(script.reply(Script.locations(every: 5), status: Script.status()) == [], "it has the status")
    }

    @Test func clientsOfOneWatchReceiveNothingOfAnother() throws {
        var script = Script()
        script.open(1, Script.interest(Script.locations(every: 10)))
        script.open(2, Script.interest(Script.locations(every: 20)))
        let location = try Script.location(100)
        let actions = script.reply(Script.locations(every: 10), location: location)
        #expect(actions == [.deliver(Script.id(1), .location(location, dropped: 0))])
    }
}
