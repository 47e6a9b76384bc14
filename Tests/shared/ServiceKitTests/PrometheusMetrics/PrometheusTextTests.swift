import Testing

@testable import ServiceKit

/// The text that Prometheus reads, byte for byte.
struct PrometheusTextTests {
    private func text(_ name: String, _ kind: MetricFamily.Kind, _ fill: (inout MetricFamily) -> Void) -> String {
        var family = MetricFamily(name, kind, help: "Some things.")
        fill(&family)
        return PrometheusText.text([family])
    }

    private func value(_ number: Double) -> String {
        let text = text("value", .gauge) { $0.add(number) }
        return String(text.dropFirst("# HELP value Some things.\n# TYPE value gauge\nvalue ".count).dropLast())
    }

    @Test func seriesFollowTheirHelpAndType() {
        let text = text("things_total", .counter) { family in
            family.add(3, ("kind", "big"), ("place", "here"))
            family.add(0, ("kind", "small"), ("place", "there"))
        }
        #expect(
            text == """
                # HELP things_total Some things.
                # TYPE things_total counter
                things_total{kind="big",place="here"} 3
                things_total{kind="small",place="there"} 0

                """)
    }

    @Test func familiesKeepTheirOrderAndEmptyOnesAreLeftOut() {
        var families = ["b", "a", "c"].map { MetricFamily($0, .gauge, help: "") }
        families[0].add(1)
        families[1].add(nil as Double?)
        families[2].add(2)
        #expect(
            PrometheusText.text(families) == "# HELP b \n# TYPE b gauge\nb 1\n# HELP c \n# TYPE c gauge\nc 2\n")
        #expect(PrometheusText.text([]) == "")
    }

    @Test func labelsAreEscaped() {
        let text = text("things", .gauge) { $0.add(1, ("path", "C:\\dir\"quoted\"\nnext\r\nlast é 🛰")) }
        #expect(text.hasSuffix("\nthings{path=\"C:\\\\dir\\\"quoted\\\"\\nnext\r\\nlast é 🛰\"} 1\n"))
        #expect(text.split(separator: "\n").count == 3, "no label breaks its line")
    }

    @Test func helpIsEscaped() {
        let family = MetricFamily("things", .gauge, help: "One \\ \"two\"\nthree.")
        var filled = family
        filled.add(1)
        #expect(PrometheusText.text([filled]).hasPrefix("# HELP things One \\\\ \"two\"\\nthree.\n# TYPE"))
    }

    @Test func namesThatPrometheusDoesNotAllowAreAltered() {
        var family = MetricFamily("9 http.requests-sum:é", .gauge, help: "")
        family.add(1, ("status.code:x", "200"), ("", "empty"))
        #expect(
            PrometheusText.text([family]).contains("\n_9_http_requests_sum:__{status_code_x=\"200\",_=\"empty\"} 1\n"))
    }

    @Test(arguments: [
        (0.0, "0"), (-0.5, "-0.5"), (12, "12"), (1e15, "1000000000000000"), (9_007_199_254_740_991, "9007199254740991"),
        (9_007_199_254_740_992, "9007199254740992.0"), (1e300, "1e+300"), (0.00001, "1e-05"),
        (.infinity, "+Inf"), (-.infinity, "-Inf"), (.nan, "NaN"), (-12, "-12"),
    ])
    func numbersAreWrittenAsGoReadsThem(_ number: Double, _ text: String) {
        #expect(value(number) == text)
        if number.isFinite { #expect(Double(value(number)) == number) }
    }

    @Test func bucketsOfHistogramsAreCumulative() {
        var histogram = Histogram(bounds: [1, 0.5, 2.5, 1, .infinity])
        for value in [0.5, 0.75, 1, 2, 3, 100, .nan] { histogram.observe(value) }
        let text = text("wait_seconds", .histogram) { family in
            family.samples = [.init(labels: [.init("way", "in")], value: .histogram(histogram))]
        }
        #expect(
            text == """
                # HELP wait_seconds Some things.
                # TYPE wait_seconds histogram
                wait_seconds_bucket{way="in",le="0.5"} 1
                wait_seconds_bucket{way="in",le="1"} 3
                wait_seconds_bucket{way="in",le="2.5"} 4
                wait_seconds_bucket{way="in",le="+Inf"} 6
                wait_seconds_sum{way="in"} 107.25
                wait_seconds_count{way="in"} 6

                """)
    }

    @Test func histogramWithoutValuesIsTold() {
        let text = text("wait_seconds", .histogram) { family in
            family.samples = [.init(labels: [], value: .histogram(Histogram(bounds: [1])))]
        }
        #expect(
            text.hasSuffix(
                """
                wait_seconds_bucket{le="1"} 0
                wait_seconds_bucket{le="+Inf"} 0
                wait_seconds_sum 0
                wait_seconds_count 0

                """))
    }

    @Test func infiniteValuesFallIntoTheLastBucket() {
        var histogram = Histogram(bounds: [1])
        histogram.observe(.infinity)
        histogram.observe(-.infinity)
        #expect(histogram.counts == [1, 1])
        #expect(histogram.count == 2)
    }
}
