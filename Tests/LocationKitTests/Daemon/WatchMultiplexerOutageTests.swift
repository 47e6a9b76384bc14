import LocationInterface
import Testing

@testable import LocationKit

/// What happens while the daemon is not there.
@Suite struct WatchMultiplexerOutageTests {
    private typealias Script = MultiplexerScript

    private let absence = LocationError.daemonNotRunning(path: "/run/x", reason: "gone")

    /// Settles when the link says, and fails again.
    private func fail(_ script: inout MultiplexerScript, _ kind: WatchMultiplexer.WatchKind) throws -> Double {
        let wait = try #require(script.wait)
        script.now += wait - 0.001
        #expect(script.settle().opened == [])
        script.now += 0.001
        #expect(script.settle().opened == [kind])
        #expect(script.ended(kind, absence).events(for: 1) == [.disconnected(absence)])
        return wait
    }

    @Test func triesBecomeSeldomAndEachFailureIsTold() throws {
        var script = Script()
        script.wish(1, Script.wish(LocationFilter()))
        _ = script.settle()
        #expect(script.ended(.locations, absence).events(for: 1) == [.disconnected(absence)])
        for expected in [0.25, 0.5, 1, 2, 4, 8, 16, 30, 30] {
            #expect(abs(try fail(&script, .locations) - expected) < 1e-6)
        }
        _ = try fail(&script, .locations)
        script.now += 30
        _ = script.settle()
        #expect(
            script.told(.locations, status: Script.status()).events(for: 1) == [.connected, .status(Script.status())])
        _ = script.ended(.locations)
        #expect(try #require(script.wait) < 2)
    }

    @Test(arguments: [0, 0.999])
    func daemonThatWasThereHasASecondToComeBack(_ jitter: Double) throws {
        var script = Script()
        script.jitter = jitter
        script.open(1, Script.wish(LocationFilter()), .locations)
        #expect(script.ended(.locations).events(for: 1) == [.disconnected(.disconnected)])
        let wait = try #require(script.wait)
        #expect(wait >= 1 && wait <= 1.25)
        // Nobody who comes meanwhile makes it come earlier, but is told at once.
        script.now += 0.9
        script.wish(2, Script.wish(LocationFilter(distance: 7)))
        let actions = script.settle()
        #expect(actions.opened == [])
        #expect(actions.events(for: 2) == [.disconnected(.disconnected)])
        #expect(actions.events(for: 1) == [])
        script.now += 0.4
        #expect(script.settle().opened == [.locations])
    }

    @Test func whoComesLaterNeedNotWaitLong() throws {
        var script = Script()
        script.wish(1, Script.wish(LocationFilter()))
        _ = script.settle()
        _ = script.ended(.locations, absence)
        for _ in 1...8 { _ = try fail(&script, .locations) }
        script.now += 0.1
        script.wish(2, Script.wish(LocationFilter()))
        #expect(script.settle().events(for: 2) == [.disconnected(absence)])
        #expect(try #require(script.wait) < 0.16)
        script.now += 0.5
        #expect(script.settle().opened == [.locations])
        _ = script.ended(.locations, absence)
        #expect(try #require(script.wait) > 20)
        script.now += 5
        script.wish(3, Script.wish(status: true))
        #expect(script.settle().opened == [.locations])
    }

    @Test func nothingIsTriedForNobody() {
        var script = Script()
        script.open(1, Script.wish(LocationFilter()), .locations)
        _ = script.ended(.locations)
        script.wish(1, Interest())
        #expect(script.settle() == [])
        #expect(script.wait == nil)
        script.wish(1, Script.wish(status: true))
        #expect(script.settle() == [.tell(Script.id(1), .disconnected(.disconnected))])
        script.now += 1.3
        #expect(script.settle().opened == [.status])
    }

    @Test func clientOfTwoWatchesHearsOfOneFailure() {
        var script = Script()
        script.wish(1, Script.wish(LocationFilter(), headings: true))
        _ = script.settle()
        _ = script.told(.locations, status: Script.status())
        _ = script.told(.headings, status: Script.status())
        #expect(script.ended(.headings).events(for: 1) == [.disconnected(.disconnected)])
        #expect(script.ended(.locations).events(for: 1) == [])
        script.now += 2
        #expect(script.settle().opened == [.locations, .headings])
        #expect(script.ended(.headings, absence).events(for: 1) == [.disconnected(absence)])
        #expect(script.ended(.locations, absence).events(for: 1) == [])
        script.now += 2
        _ = script.settle()
        #expect(script.told(.headings, status: Script.status()) == [])
        #expect(
            script.told(.locations, status: Script.status()).events(for: 1) == [.connected, .status(Script.status())])
    }

    @Test func watchThatIsRefusedLeavesTheOtherAlone() {
        var script = Script()
        let refusal = LocationError.tooManyClients(limit: 2)
        script.open(1, Script.wish(LocationFilter()), .locations)
        script.wish(1, Script.wish(LocationFilter(), headings: true))
        script.wish(2, Script.wish(LocationFilter()))
        #expect(script.settle().opened == [.headings])
        let actions = script.ended(.headings, refusal)
        #expect(actions == [.tell(Script.id(1), .disconnected(refusal))])
        script.now += 0.3
        let retry = script.settle()
        #expect(retry.opened == [.headings] && retry.closed == [] && retry.events(for: 1) == [])
        #expect(
            script.told(.headings, status: Script.status()).events(for: 1) == [.connected, .status(Script.status())])
    }

    @Test func watchWithOtherParametersIsOpenedAtOnceWhileAnotherWaits() {
        var script = Script()
        script.open(1, Script.wish(LocationFilter(), headings: true), .locations)
        _ = script.ended(.headings, absence)
        script.wish(1, Script.wish(LocationFilter(distance: 5), headings: true))
        let actions = script.settle()
        #expect(actions.opened == [.locations] && actions.closed == [.locations])
    }

    @Test func lastReplyIsToldAsStateAndEnd() throws {
        var script = Script()
        script.open(1, Script.wish(LocationFilter()), .locations)
        let stopping = Script.status(.stopped)
        let actions = script.told(.locations, status: stopping, continues: false)
        #expect(
            actions == [
                .tell(Script.id(1), .status(stopping)), .close(.locations),
                .tell(Script.id(1), .disconnected(.disconnected)),
            ])
        #expect(try #require(script.wait) >= 1)
    }

    @Test func daemonThatSaysNothingIsGivenUp() {
        var script = Script()
        script.wish(1, Script.wish(LocationFilter()))
        _ = script.settle()
        #expect(script.wait == WatchMultiplexer.patience)
        script.now += WatchMultiplexer.patience
        let actions = script.settle()
        #expect(actions.closed == [.locations])
        #expect(
            actions.events(for: 1) == [
                .disconnected(.daemonNotRunning(path: "/run/x", reason: "it does not answer"))
            ])
        #expect(script.ended(.locations) == [])
    }

    @Test func returnTellsNoLocationAgain() throws {
        var script = Script()
        script.open(1, Script.wish(LocationFilter()), .locations)
        let location = try Script.location(100)
        _ = script.told(.locations, location: location)
        _ = script.ended(.locations)
        script.now += 2
        _ = script.settle()
        #expect(
            script.told(.locations, status: Script.status(), location: location).events(for: 1) == [
                .connected, .status(Script.status()),
            ])
    }
}
