import CoreMetrics
import Synchronization

/// A metric that any thread may record into.
protocol Instrument: AnyObject, Sendable {
    var reading: MetricFamily.Value { get }
}

/// A counter that only increases, until it is reset to 0.
final class CounterInstrument: Instrument, CounterHandler, FloatingPointCounterHandler {
    private let total = Mutex(0.0)

    var reading: MetricFamily.Value { .number(total.withLock { $0 }) }

    func increment(by amount: Int64) { increment(by: Double(amount)) }

    func increment(by amount: Double) {
        guard amount > 0 else { return }
        total.withLock { $0 += amount }
    }

    func reset() { total.withLock { $0 = 0 } }
}

/// The last recorded value.
final class GaugeInstrument: Instrument, MeterHandler, RecorderHandler {
    private let last = Mutex(0.0)

    var reading: MetricFamily.Value { .number(last.withLock { $0 }) }

    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { last.withLock { $0 = value } }
    func increment(by amount: Double) { last.withLock { $0 += amount } }
    func decrement(by amount: Double) { last.withLock { $0 -= amount } }
    func record(_ value: Int64) { set(Double(value)) }
    func record(_ value: Double) { set(value) }
}

/// A histogram of the recorded values; those of a timer are in seconds.
final class HistogramInstrument: Instrument, TimerHandler, RecorderHandler {
    private let histogram: Mutex<Histogram>

    init(bounds: [Double]) {
        histogram = Mutex(Histogram(bounds: bounds))
    }

    var reading: MetricFamily.Value { .histogram(histogram.withLock { $0 }) }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
    func record(_ value: Int64) { record(Double(value)) }
    func record(_ value: Double) { histogram.withLock { $0.observe(value) } }
}
