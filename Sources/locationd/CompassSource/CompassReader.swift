import Glibc
@_spi(Programs) import LocationModel
@_spi(Programs) import SystemSupport

/// The work of the `compass-reader` thread: connect, claim the compass, deliver headings, and retry until woken.
///
/// Ownership: everything here is created, used and destroyed on that thread; only the waker, the heartbeat and the two
/// closures are shared.
struct CompassReader {
    /// So many messages are read before the waker is looked at again, so that a flood of them delays the end by no
    /// more.
    private static let batch = 64

    let library: String
    let address: String?
    let waker: Waker
    let heartbeat: Heartbeat
    let count: (_ kind: String, _ number: Int) -> Void
    let deliver: (SourceEvent) -> Void

    private var now: BootInstant { MachineClock.now }

    func run() {
        var log = SourceLog(count: count, deliver: deliver)
        log.begin()
        while !waker.isWoken {
            guard let failure = converse(&log) else { return }
            let wait = log.fail(reason: failure.reason, jitter: .random(in: 0..<1))
            _ = heartbeat.wait(waker, for: -1, events: 0, seconds: wait)
        }
    }

    /// Claims the compass and delivers its headings until the connection has to be closed.
    /// - Returns: why, or `nil` if woken.
    private func converse(_ log: inout SourceLog) -> CompassFailure? {
        let bus: CompassBus
        do throws(CompassFailure) {
            bus = try CompassBus(library: library, address: address)
        } catch {
            return error
        }
        var session = CompassSession(at: now)
        do throws(CompassFailure) {
            try perform(session.begin(at: now), over: bus, &session, &log)
            while true {
                for _ in 0..<Self.batch {
                    guard let message = try bus.receive() else { break }
                    try perform(session.receive(message, at: now), over: bus, &session, &log)
                }
                try perform(session.advance(to: now), over: bus, &session, &log)
                let patience = min(session.deadline.seconds(since: now), bus.patience)
                if case .woken = heartbeat.wait(waker, for: bus.descriptor, events: bus.events, seconds: patience) {
                    bus.send(.release)
                    return nil
                }
            }
        } catch {
            return error
        }
    }

    private func perform(
        _ steps: [CompassSession.Step], over bus: borrowing CompassBus, _ session: inout CompassSession,
        _ log: inout SourceLog
    ) throws(CompassFailure) {
        for step in steps {
            switch step {
            case .send(let call): session.sent(call, as: try bus.sendReporting(call), at: now)
            case .emit(let event): log.emit(event)
            case .count(let kind, let number): count(kind, number)
            case .note(let kind, let example): log.note(kind, example: example, at: now)
            case .fail(let failure): throw failure
            }
        }
    }
}
