@_spi(Programs) import LocationInterface
import Testing

@_spi(Programs) @testable import LocationKit

/// What happens while the daemon is not there.
@Suite struct WatchMultiplexerOutageTests {
    private typealias Script = MultiplexerScript

    private let absence = LocationError.daemonNotRunning(path: "/run/x", reason: "gone")

    /// Retries at the multiplexer's deadline, and fails again.
    private func fail(_ script: inout MultiplexerScript, _ request: WatchRequest) throws -> Double {
        let wait = try #require(script.wait)
        script.now += wait - 0.001
        #expect(script.nextActions().opened == [])
        script.now += 0.001
        #expect(script.nextActions().opened == [request])
        #expect(script.watchEnded(request, absence).events(for: 1) == [.disconnected(absence)])
        return wait
    }

    @Test func retriesBackOffAndEachFailureIsDelivered() throws {
        var script = Script()
        script.setInterest(1, Script.interest(Script.locations))
        _ = script.nextActions()
        #expect(script.watchEnded(Script.locations, absence).events(for: 1) == [.disconnected(absence)])
        for expected in [0.25, 0.5, 1, 2, 4, 8, 16, 30, 30] {
            #expect(abs(try fail(&script, Script.locations) - expected) < 1e-6)
        }
        _ = try fail(&script, Script.locations)
        script.now += 30
        _ = script.nextActions()
        #expect(
            script.reply(Script.locations, status: Script.status()).events(for: 1) == [
                .connected, .status(Script.status()),
            ])
        _ = script.watchEnded(Script.locations)
        #expect(try #require(script.wait) < 2)
    }

    @Test(arguments: [0, 0.999])
    func daemonThatWasThereHasASecondToComeBack(_ jitter: Double) throws {
        var script = Script()
        script.jitter = jitter
        script.open(1, Script.interest(Script.locations))
        #expect(script.watchEnded(Script.locations).events(for: 1) == [.disconnected(.disconnected)])
        let wait = try #require(script.wait)
        #expect(wait >= 1 && wait <= 1.25)
        // A client that comes meanwhile does not shorten the wait, but learns of the outage at once.
        script.now += 0.9
        script.setInterest(2, Script.interest(Script.locations(every: 7)))
        let actions = script.nextActions()
        #expect(actions.opened == [])
        #expect(actions.events(for: 2) == [.disconnected(.disconnected)])
        #expect(actions.events(for: 1) == [])
        script.now += 0.4
        #expect(script.nextActions().opened == [Script.locations, Script.locations(every: 7)])
    }

    @Test func laterClientDoesNotWaitLong() throws {
        var script = Script()
        script.setInterest(1, Script.interest(Script.locations))
        _ = script.nextActions()
        _ = script.watchEnded(Script.locations, absence)
        for _ in 1...8 { _ = try fail(&script, Script.locations) }
        script.now += 0.1
        script.setInterest(2, Script.interest(Script.locations))
        #expect(script.nextActions().events(for: 2) == [.disconnected(absence)])
        #expect(try #require(script.wait) < 0.16)
        script.now += 0.5
        #expect(script.nextActions().opened == [Script.locations])
        _ = script.watchEnded(Script.locations, absence)
        #expect(try #require(script.wait) > 20)
        script.now += 5
        script.setInterest(3, Script.interest(status: true))
        #expect(script.nextActions().opened == [Script.locations, Script.status])
    }

    @Test func nothingIsRetriedWithoutClients() {
        var script = Script()
        script.open(1, Script.interest(Script.locations))
        _ = script.watchEnded(Script.locations)
        script.setInterest(1, Interest())
        #expect(script.nextActions() == [])
        #expect(script.wait == nil)
        script.setInterest(1, Script.interest(status: true))
        #expect(script.nextActions() == [.deliver(Script.id(1), .disconnected(.disconnected))])
        script.now += 1.3
        #expect(script.nextActions().opened == [Script.status])
    }

    @Test func clientWithTwoWatchesReceivesOneFailure() {
        var script = Script()
        script.setInterest(1, Script.interest(Script.locations, headings: true))
        _ = script.nextActions()
        _ = script.reply(Script.locations, status: Script.status())
        _ = script.reply(Script.headings, status: Script.status())
        #expect(script.watchEnded(Script.headings).events(for: 1) == [.disconnected(.disconnected)])
        #expect(script.watchEnded(Script.locations).events(for: 1) == [])
        script.now += 2
        #expect(script.nextActions().opened == [Script.locations, Script.headings])
        #expect(script.watchEnded(Script.headings, absence).events(for: 1) == [.disconnected(absence)])
        #expect(script.watchEnded(Script.locations, absence).events(for: 1) == [])
        script.now += 2
        _ = script.nextActions()
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
        let actions = script.watchEnded(Script.headings, refusal)
        #expect(actions == [.deliver(Script.id(1), .disconnected(refusal))])
        script.now += 0.3
        let retry = script.nextActions()
        #expect(retry.opened == [Script.headings] && retry.closed == [] && retry.events(for: 1) == [])
        #expect(
            script.reply(Script.headings, status: Script.status()).events(for: 1) == [
                .connected, .status(Script.status()),
            ])
    }

    @Test func watchWithOtherParametersIsOpenedImmediatelyWhileAnotherWaits() {
        var script = Script()
        script.open(1, Script.interest(Script.locations, headings: true))
        _ = script.watchEnded(Script.headings, absence)
        script.setInterest(1, Script.interest(Script.locations(every: 5), headings: true))
        let actions = script.nextActions()
        #expect(actions.opened == [Script.locations(every: 5)] && actions.closed == [Script.locations])
    }

    @Test func lastReplyIsDeliveredAsStateAndEnd() throws {
        var script = Script()
        script.open(1, Script.interest(Script.locations))
        let stopping = Script.status(.stopped)
        let actions = script.reply(Script.locations, status: stopping, continues: false)
        #expect(
            actions == [
                .deliver(Script.id(1), .status(stopping)), .close(Script.locations),
                .deliver(Script.id(1), .disconnected(.disconnected)),
            ])
        #expect(try #require(script.wait) >= 1)
    }

    @Test func silentDaemonTimesOut() {
        var script = Script()
        script.setInterest(1, Script.interest(Script.locations))
        _ = script.nextActions()
        #expect(script.wait == WatchMultiplexer.replyTimeout)
        script.now += WatchMultiplexer.replyTimeout
        let actions = script.nextActions()
        #expect(actions.closed == [Script.locations])
        #expect(
            actions.events(for: 1) == [
                .disconnected(.daemonNotRunning(path: "/run/x", reason: "it does not answer"))
            ])
        #expect(script.watchEnded(Script.locations) == [])
    }

    @Test func reconnectingDeliversNoLocationAgain() throws {
        var script = Script()
        script.open(1, Script.interest(Script.locations))
        let location = try Script.location(100)
        _ = script.reply(Script.locations, location: location)
        _ = script.watchEnded(Script.locations)
        script.now += 2
        _ = script.nextActions()
        #expect(
            script.reply(Script.locations, status: Script.status(), location: location).events(for: 1) == [
                .connected, .status(Script.status()),
            ])
    }
}
