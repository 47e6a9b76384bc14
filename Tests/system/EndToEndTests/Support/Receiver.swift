import Glibc
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Synchronization
@_spi(Programs) import SystemSupport

/// An invented receiver on a pseudo terminal: it drives north, at ten knots unless told otherwise, and reports at a
/// fixed rate, with the time of now, until it is let go.
final class Receiver: Sendable {
    private struct State {
        var sent: [UTCTime: Epoch] = [:]
        var isSilent = false
    }

    let terminal: PseudoTerminal
    private let state = Mutex(State())
    private let waker: Waker

    /// What gpsd calls it.
    var path: String { terminal.path }

    /// - Parameters:
    ///   - rate: reports per second; divides 1000.
    ///   - north: where it begins, degrees.
    ///   - knots: how fast it drives.
    init(rate: Int = 5, north: Int = 52, east: Int = 13, knots: Int = 10) throws {
        guard let waker = Waker() else { throw Failure("no descriptor is left") }
        self.waker = waker
        terminal = try PseudoTerminal()
        let started = DetachedThread.start(named: "receiver") { [terminal, weak self] in
            Self.drive(terminal, rate, north, east, knots, waker) { [weak self] epoch in
                guard let self else { return false }
                return self.state.withLock { state in
                    if !state.isSilent { state.sent[epoch.time] = epoch }
                    return !state.isSilent
                }
            }
        }
        guard started else { throw Failure("no further thread is allowed") }
    }

    deinit { waker.wake() }

    /// What was reported at a moment.
    func sent(at time: UTCTime?) -> Epoch? {
        time.flatMap { time in state.withLock { $0.sent[time] } }
    }

    func fallSilent() { state.withLock { $0.isSilent = true } }
    func speakAgain() { state.withLock { $0.isSilent = false } }

    private static func drive(
        _ terminal: PseudoTerminal, _ rate: Int, _ north: Int, _ east: Int, _ knots: Int, _ waker: Waker,
        isToBeSent: (Epoch) -> Bool
    ) {
        let clock = ContinuousClock()
        let start = clock.now
        let second = Int64(Glibc.time(nil))
        // An arc minute is 1852 m, and a knot one of them an hour.
        let step = knots * 1_000_000 / 3600 / rate
        var count = 0
        while !waker.isWoken {
            let epoch = Epoch(
                time: UTCTime(seconds: second, nanoseconds: Int64(count * 1000 / rate) * 1_000_000),
                north: north * 60_000_000 + 30_123_456 + count * step, east: east * 60_000_000 + 22_654_321,
                altitude: 1000 + count % 50, speed: knots * 100, course: 15)
            if isToBeSent(epoch) { try? terminal.write(epoch.sentences) }
            count += 1
            let left = clock.now.duration(to: start + .seconds(Double(count) / Double(rate)))
            _ = waker.wait(for: -1, events: 0, seconds: max(0, left / .seconds(1)))
        }
    }
}
