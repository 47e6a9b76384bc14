@_spi(Programs) import LocationModel
import SimulatedSource
import Synchronization
@_spi(Programs) import SystemSupport

/// Time that passes only while a source sleeps, and ends: the sleep that would lead beyond the end throws, as it does
/// when the task is cancelled.
final class ManualTime: Sendable {
    private struct State {
        var now: Double
        var slept: [Double] = []
        var oversleep: [Double] = []
    }

    /// The wall clock at moment 0.
    static let origin = UTCTime(seconds: 1_780_000_000)

    private let state: Mutex<State>
    private let end: Double

    /// - Parameter oversleep: Seconds by which the first sleeps last longer than asked for.
    init(now: Double = 1000, lasting: Double, oversleep: [Double] = []) {
        state = Mutex(State(now: now, oversleep: oversleep.reversed()))
        end = now + lasting
    }

    /// Every sleep that was asked for, seconds.
    var slept: [Double] { state.withLock { $0.slept } }

    /// Work that takes time.
    func pass(_ seconds: Double) {
        state.withLock { $0.now += seconds }
    }

    var clock: ServiceClock {
        ServiceClock(
            now: { [self] in BootInstant(seconds: state.withLock { $0.now }) },
            utc: { [self] in
                let now = state.withLock { $0.now }
                return UTCTime(seconds: Self.origin.seconds, nanoseconds: Int64((now * 1e9).rounded()))
            },
            sleep: { [self] duration in
                let (seconds, attoseconds) = duration.components
                let length = Double(seconds) + Double(attoseconds) / 1e18
                try state.withLock { state in
                    state.slept.append(length)
                    guard state.now + length <= end else { throw CancellationError() }
                    state.now += length + (state.oversleep.popLast() ?? 0)
                }
            })
    }
}

/// Gathers what a source delivers.
final class EventLog: Sendable {
    private let log = Mutex<[SourceEvent]>([])

    var deliver: @Sendable (SourceEvent) -> Void {
        { [self] event in log.withLock { $0.append(event) } }
    }

    var events: [SourceEvent] { log.withLock { $0 } }

    var fixes: [Location] {
        events.compactMap { if case .fix(let location) = $0 { location } else { nil } }
    }

    var conditions: [SourceCondition] {
        events.compactMap { if case .condition(let condition) = $0 { condition } else { nil } }
    }
}

extension LocationSource {
    /// Everything the source delivers until its time ends.
    func events() async -> EventLog {
        let log = EventLog()
        await run(deliver: log.deliver)
        return log
    }
}
