@_spi(Programs) import LocationInterface
import Testing

@_spi(Programs) @testable import LocationKit

/// What clients are told while the daemon is not there.
@Suite struct WatchSharingOutageTests {
    private typealias Script = SharingScript

    private let absence = LocationError.daemonNotRunning(path: "/run/x", reason: "gone")

    @Test func eachFailureIsDeliveredAndTheStateWhenTheDaemonIsBack() throws {
        var script = Script()
        script.open(1, Script.interest(Script.locations))
        let location = try Script.location(100)
        _ = script.reply(Script.locations, location: location)
        for _ in 1...2 {
            #expect(script.fail(Script.locations, absence) == [.deliver(Script.id(1), .disconnected(absence))])
            #expect(script.nextActions() == [], "the session is what tries again")
        }
        #expect(
            script.reply(Script.locations, status: Script.status(), location: location).events(for: 1) == [
                .connected, .status(Script.status()),
            ], "the location was delivered before")
        script.setInterest(2, Script.interest(Script.locations))
        let known: [TransportEvent] = [.connected, .status(Script.status())]
        #expect(
            script.nextActions().events(for: 2) == known + [.location(location, dropped: 0)], "nor is the outage kept")
    }

    @Test func whoJoinsIsToldOfTheOutageAtOnceAndIsTriedForSoon() {
        var script = Script()
        script.open(1, Script.interest(Script.locations))
        _ = script.fail(Script.locations, absence)
        script.setInterest(2, Script.interest(Script.locations))
        #expect(
            script.nextActions() == [.hurry(Script.locations), .deliver(Script.id(2), .disconnected(absence))])
        #expect(script.nextActions() == [], "once")
        #expect(
            script.reply(Script.locations, status: Script.status()).events(for: 2) == [
                .connected, .status(Script.status()),
            ])
    }

    @Test func nothingIsLeftWithoutClients() {
        var script = Script()
        script.open(1, Script.interest(Script.locations))
        _ = script.fail(Script.locations)
        script.setInterest(1, Interest())
        #expect(script.nextActions() == [.close(Script.locations)])
        #expect(script.fail(Script.locations) == [])
        script.setInterest(1, Script.interest(Script.locations))
        #expect(script.nextActions() == [.open(Script.locations)], "nor the outage")
    }

    @Test func clientWithTwoWatchesReceivesOneFailure() {
        var script = Script()
        script.open(1, Script.interest(Script.locations, headings: true))
        #expect(script.fail(Script.headings).events(for: 1) == [.disconnected(.disconnected)])
        #expect(script.fail(Script.locations).events(for: 1) == [.disconnected(.disconnected)])
        #expect(script.fail(Script.headings, absence) == [])
        #expect(script.fail(Script.locations, absence).events(for: 1) == [.disconnected(absence)])
        #expect(script.reply(Script.headings, status: Script.status()) == [])
        #expect(
            script.reply(Script.locations, status: Script.status()).events(for: 1) == [
                .connected, .status(Script.status()),
            ])
    }

    @Test func refusedWatchDoesNotAffectTheOther() {
        var script = Script()
        let refusal = LocationError.tooManyClients(limit: 2)
        script.open(1, Script.interest(Script.locations))
        script.setInterest(1, Script.interest(Script.locations, headings: true))
        script.setInterest(2, Script.interest(Script.locations))
        #expect(script.nextActions().opened == [Script.headings])
        #expect(script.fail(Script.headings, refusal) == [.deliver(Script.id(1), .disconnected(refusal))])
        #expect(
            script.reply(Script.headings, status: Script.status()).events(for: 1) == [
                .connected, .status(Script.status()),
            ])
    }

    @Test func watchWithOtherParametersIsOpenedAtOnceWhileAnotherWaits() {
        var script = Script()
        script.open(1, Script.interest(Script.locations))
        _ = script.fail(Script.locations, absence)
        script.setInterest(1, Script.interest(Script.locations(every: 5)))
        #expect(
            Set(script.nextActions()) == [.open(Script.locations(every: 5)), .close(Script.locations)])
    }
}
