import CoreMetrics
import ServiceKit
import Testing

/// What swift-metrics records is what is read.
struct PrometheusRegistryTests {
    private let registry = PrometheusRegistry([
        "wait_seconds": .init(help: "How long it takes.", buckets: [0.001, 1]), "things_total": .init(help: "Things."),
    ])

    private var text: String { PrometheusText.text(registry.readings) }

    @Test func countersRise() {
        let counter = Counter(label: "things_total", dimensions: [("kind", "big")], factory: registry)
        counter.increment()
        counter.increment(by: 41)
        counter.increment(by: -5)
        #expect(text == "# HELP things_total Things.\n# TYPE things_total counter\nthings_total{kind=\"big\"} 42\n")
        counter.reset()
        #expect(text.hasSuffix(" 0\n"))
        FloatingPointCounter(label: "litres_total", factory: registry).increment(by: 0.25)
        #expect(text.hasPrefix("# HELP litres_total litres_total\n# TYPE litres_total counter\nlitres_total 0.25\n"))
    }

    @Test func timersAreHistogramsInSeconds() {
        let timer = Timer(label: "wait_seconds", factory: registry)
        timer.recordMilliseconds(1)
        timer.recordSeconds(0.5)
        timer.recordNanoseconds(2_500_000_000)
        #expect(
            text == """
                # HELP wait_seconds How long it takes.
                # TYPE wait_seconds histogram
                wait_seconds_bucket{le="0.001"} 1
                wait_seconds_bucket{le="1"} 2
                wait_seconds_bucket{le="+Inf"} 3
                wait_seconds_sum 3.001
                wait_seconds_count 3

                """)
    }

    @Test func metersAndRecordersTellTheLastValue() {
        let meter = Meter(label: "level", factory: registry)
        meter.set(5)
        meter.increment(by: 2)
        meter.decrement(by: 0.5)
        Gauge(label: "height", factory: registry).record(-3)
        #expect(text.contains("# TYPE level gauge\nlevel 6.5\n"))
        #expect(text.contains("# TYPE height gauge\nheight -3\n"))
        Recorder(label: "size", factory: registry).record(0.75)
        #expect(text.contains("# TYPE size histogram\n") && text.contains("\nsize_sum 0.75\n"))
    }

    @Test func oneNameAndSetOfLabelsIsOneInstrument() {
        for dimensions in [[("a", "1"), ("b", "2")], [("b", "2"), ("a", "1")]] {
            Counter(label: "things_total", dimensions: dimensions, factory: registry).increment()
        }
        Counter(label: "things_total", dimensions: [("a", "0"), ("b", "2")], factory: registry).increment()
        #expect(text.hasSuffix("\nthings_total{a=\"0\",b=\"2\"} 1\nthings_total{a=\"1\",b=\"2\"} 2\n"))
    }

    @Test func anotherKindUnderATakenNameIsToldNowhere() {
        Counter(label: "things_total", factory: registry).increment()
        let meter = Meter(label: "things_total", factory: registry)
        meter.set(7)
        #expect(text == "# HELP things_total Things.\n# TYPE things_total counter\nthings_total 1\n")
    }

    @Test func destroyedInstrumentsAreToldNoMore() {
        let counter = Counter(label: "things_total", factory: registry)
        counter.increment()
        Timer(label: "wait_seconds", factory: registry).destroy()
        counter.destroy()
        #expect(text == "")
    }

    @Test func namesThatBecomeTheSameAreOne() {
        Counter(label: "http.calls", dimensions: [("x.y", "1"), ("x_y", "2")], factory: registry).increment()
        Counter(label: "http_calls", dimensions: [("x-y", "1")], factory: registry).increment()
        #expect(text == "# HELP http_calls http_calls\n# TYPE http_calls counter\nhttp_calls{x_y=\"1\"} 2\n")
    }

    @Test func threadsLoseNothing() async {
        let registry = registry
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<1000 {
                        Counter(label: "things_total", factory: registry).increment()
                        Timer(label: "wait_seconds", factory: registry).recordMilliseconds(1)
                    }
                }
            }
        }
        #expect(text.contains("\nthings_total 8000\n") && text.contains("\nwait_seconds_count 8000\n"))
    }
}
