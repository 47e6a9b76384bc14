package import CoreMetrics
import Synchronization

/// The swift-metrics backend: creates the instruments and reads their values.
///
/// A counter exposes a number that only increases; meters and plain recorders expose the last value; timers (in
/// seconds) and aggregating recorders expose a histogram. One name with one set of labels is one instrument. Asking for
/// another kind under a used name returns an instrument that is not exposed: metrics never stop a program.
///
/// Ownership: the table of instruments is behind one lock, taken to create them and to read them all. Each has its
/// value behind its own lock, held for an addition only, because threads that must not block record values.
package final class PrometheusRegistry: MetricsFactory, Sendable {
    /// The description of a metric name.
    package struct Description: Sendable {
        package var help: String
        /// The upper bounds of a histogram's buckets, in its unit.
        package var buckets: [Double]

        package init(help: String, buckets: [Double] = PrometheusRegistry.latencies) {
            self.help = help
            self.buckets = buckets
        }
    }

    /// Buckets for durations from 100 µs to a second.
    package static let latencies = [
        0.0001, 0.000_25, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1,
    ]

    private struct Family {
        let kind: MetricFamily.Kind
        var instruments: [[MetricFamily.Label]: any Instrument] = [:]
    }

    package let descriptions: [String: Description]
    private let families = Mutex<[String: Family]>([:])

    /// - Parameter descriptions: by metric name; a name without one is used as its own help text.
    package init(_ descriptions: [String: Description] = [:]) {
        self.descriptions = descriptions
    }

    /// The present values of all instruments, sorted by name and labels.
    package var readings: [MetricFamily] {
        families.withLock { families in
            families.sorted { $0.key < $1.key }.map { name, family in
                var reading = MetricFamily(name, family.kind, help: descriptions[name]?.help ?? name)
                reading.samples = family.instruments.map { .init(labels: $0.key, value: $0.value.reading) }
                    .sorted { $0.labels.map(\.value).lexicographicallyPrecedes($1.labels.map(\.value)) }
                return reading
            }
        }
    }

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        instrument(label, dimensions, .counter) { CounterInstrument() }
    }

    package func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        instrument(label, dimensions, .counter) { CounterInstrument() }
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        instrument(label, dimensions, .gauge) { GaugeInstrument() }
    }

    package func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        guard aggregate else { return instrument(label, dimensions, .gauge) { GaugeInstrument() } }
        return instrument(label, dimensions, .histogram) { HistogramInstrument(bounds: buckets(of: label)) }
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        instrument(label, dimensions, .histogram) { HistogramInstrument(bounds: buckets(of: label)) }
    }

    package func destroyCounter(_ handler: any CounterHandler) { forget(handler) }
    package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) { forget(handler) }
    package func destroyMeter(_ handler: any MeterHandler) { forget(handler) }
    package func destroyRecorder(_ handler: any RecorderHandler) { forget(handler) }
    package func destroyTimer(_ handler: any TimerHandler) { forget(handler) }

    private func buckets(of name: String) -> [Double] {
        descriptions[name]?.buckets ?? Self.latencies
    }

    private func instrument<Made: Instrument>(
        _ label: String, _ dimensions: [(String, String)], _ kind: MetricFamily.Kind, make: () -> Made
    ) -> Made {
        let name = MetricName.metric(label)
        let values = Dictionary(dimensions.map { (MetricName.label($0.0), $0.1) }) { first, _ in first }
        let labels = values.sorted { $0.key < $1.key }.map { MetricFamily.Label($0.key, $0.value) }
        return families.withLock { families in
            var family = families[name] ?? Family(kind: kind)
            if let known = family.instruments[labels] as? Made { return known }
            let made = make()
            if family.kind == kind {
                family.instruments[labels] = made
                families[name] = family
            }
            return made
        }
    }

    private func forget(_ handler: AnyObject) {
        families.withLock { families in
            for (name, family) in families {
                for (labels, instrument) in family.instruments where instrument === handler {
                    families[name]?.instruments[labels] = nil
                }
            }
        }
    }
}
