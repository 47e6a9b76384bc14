@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
@_spi(Programs) import LocationSession
import Testing

/// What a client of the daemon does beside its own work, in every program.
@Suite struct DaemonSessionTests {
    /// A session whose random numbers are all `random`, and what it does in words.
    private struct Script {
        private var session: DaemonSession<WatchReply, String>
        private(set) var now = BootInstant(nanoseconds: 0)

        init(random: Double = 0) { session = DaemonSession(silence: "silent", random: { random }) }

        var wait: Double? { session.deadline.map { $0.seconds(since: now) } }
        var isStreaming: Bool { session.isStreaming }
        var failure: String? { session.failure }

        mutating func open() -> [String] { words(session.open(at: now)) }
        mutating func close() -> [String] { words(session.close()) }
        mutating func hurry() { session.hurry(at: now) }
        mutating func lose(_ failure: String = "lost") -> [String] { words(session.lose(failure, at: now)) }

        mutating func receive(_ reply: WatchReply = WatchReply(), ending: String? = nil) -> [String] {
            words(session.receive(reply, ending: ending, at: now))
        }

        mutating func pass(_ seconds: Double) -> [String] {
            now = now.advanced(bySeconds: seconds)
            return words(session.advance(to: now))
        }

        private func words(_ steps: [DaemonSession<WatchReply, String>.Step]) -> [String] {
            steps.map { step in
                switch step {
                case .connect: "connect"
                case .disconnect: "disconnect"
                case .deliver(.failed(let failure, let isFirst)): "\(failure)\(isFirst ? " first" : "")"
                case .deliver(.answer(let reply)): reply.location.map { "fix \($0.value.sequence)" } ?? "reply"
                }
            }
        }
    }

    private func fix(_ sequence: Int64, at seconds: Double = 0) throws -> WatchReply {
        let coordinate = try #require(Coordinate(latitude: 52.5, longitude: 13.4))
        let moment = BootInstant(nanoseconds: 0).advanced(bySeconds: seconds)
        var location = Location(coordinate: coordinate, monotonicTime: moment, source: SourceInformation(name: "a"))
        location.sequence = sequence
        return WatchReply(location: Aged(location, age: 0))
    }

    private func status(_ reason: String) -> WatchReply {
        WatchReply(
            status: ServiceStatus(
                authorization: .authorizedAlways, accuracy: .full, enabled: true,
                source: SourceStatus(state: .unavailable, reason: reason)))
    }

    @Test func connectsAtOnceAndDeliversEachReply() {
        var script = Script()
        #expect(script.open() == ["connect"])
        #expect(!script.isStreaming)
        #expect(script.receive() == ["reply"])
        #expect(script.isStreaming)
        #expect(script.wait == nil, "an answered call may be silent")
        #expect(script.pass(1e6) == [])
        #expect(script.close() == ["disconnect"])
        #expect(
            script.receive() == [] && script.lose() == [], "what is on its way when it is closed counts for nothing")
    }

    @Test func silentDaemonIsAnOutageAfterThePatience() {
        var script = Script()
        _ = script.open()
        #expect(script.wait == 10)
        #expect(script.pass(9.99) == [])
        #expect(script.pass(0.01) == ["disconnect", "silent first"])
        #expect(script.failure == "silent")
        // The next attempt has the same patience.
        #expect(script.pass(0.125) == ["connect"])
        #expect(script.wait == 10)
        #expect(script.pass(10) == ["disconnect", "silent"])
    }

    @Test(arguments: [(0.0, [0.125, 0.25, 0.5, 1, 2, 4, 5, 5]), (1.0, [0.25, 0.5, 1, 2, 4, 8, 10, 10])])
    func pausesDoubleBetweenHalfAndTheWhole(_ random: Double, _ pauses: [Double]) {
        var script = Script(random: random)
        _ = script.open()
        for (number, pause) in pauses.enumerated() {
            #expect(script.lose() == ["disconnect", number == 0 ? "lost first" : "lost"])
            #expect(script.wait == pause)
            #expect(script.pass(pause) == ["connect"])
        }
    }

    /// All clients lose a daemon that is restarted at the same moment.
    @Test(arguments: [(0.0, 0.25), (0.5, 0.875), (1.0, 1.5)])
    func clientsThatHadAnAnswerComeBackOverMoreThanASecond(_ random: Double, _ pause: Double) {
        var script = Script(random: random)
        _ = script.open()
        _ = script.receive()
        #expect(script.lose() == ["disconnect", "lost first"])
        #expect(script.wait == pause)
        #expect(script.pass(pause) == ["connect"])
        _ = script.lose()
        #expect(script.wait == 0.125 * (1 + random), "then it doubles from the first")
    }

    @Test func answerEndsAnOutage() {
        var script = Script()
        _ = script.open()
        #expect(script.lose() == ["disconnect", "lost first"])
        _ = script.pass(1)
        #expect(script.receive() == ["reply"])
        #expect(script.failure == nil)
        #expect(script.lose() == ["disconnect", "lost first"])
    }

    @Test func lastReplyIsDeliveredAndIsAnOutage() {
        var script = Script()
        _ = script.open()
        #expect(script.receive(ending: "ended") == ["reply", "disconnect", "ended first"])
        #expect(script.pass(0.25) == ["connect"])
    }

    @Test func daemonThatSaysThatItStopsIsNoOutageByItself() {
        var script = Script()
        _ = script.open()
        #expect(script.receive(status("stopping"), ending: "ended") == ["reply", "disconnect"])
        #expect(script.failure == nil)
        #expect(script.pass(0.25) == ["connect"])
        #expect(script.lose() == ["disconnect", "lost first"])
        _ = script.pass(1)
        #expect(script.receive(status("another"), ending: "ended") == ["reply", "disconnect", "ended first"])
    }

    @Test func fixIsDeliveredOnceOverConnections() throws {
        var script = Script()
        _ = script.open()
        #expect(try script.receive(fix(7, at: 5)) == ["fix 7"])
        _ = script.lose()
        _ = script.pass(1)
        #expect(try script.receive(fix(7, at: 5)) == ["reply"])
        #expect(try script.receive(fix(8, at: 6)) == ["fix 8"])
        // Older, and then newer, with numbers that have begun anew.
        #expect(try script.receive(fix(1, at: 6)) == ["reply"])
        #expect(try script.receive(fix(1, at: 7)) == ["fix 1"])
        #expect(try script.receive(fix(2, at: 6)) == ["fix 2"], "a number that follows is a new fix")
    }

    @Test func anotherCallTakesThePlaceOfTheFirst() throws {
        var script = Script()
        _ = script.open()
        _ = try script.receive(fix(7))
        #expect(script.open() == ["disconnect", "connect"])
        #expect(try script.receive(fix(7)) == ["fix 7"])
        _ = script.lose()
        #expect(script.open() == ["connect"], "nor does it wait")
    }

    @Test func whoJoinsDoesNotWaitForALongPause() {
        var script = Script(random: 1)
        _ = script.open()
        script.hurry()
        #expect(script.wait == 10, "only a pause is shortened")
        for _ in 0..<6 {
            _ = script.lose()
            _ = script.pass(script.wait ?? 0)
        }
        _ = script.lose()
        #expect(script.wait == 10)
        script.hurry()
        #expect(script.wait == 0.25)
        #expect(script.pass(0.25) == ["connect"])
        _ = script.lose()
        #expect(script.pass(4) == [])
        script.hurry()
        #expect(script.wait == 0)
    }
}
