@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import LocationServer
import ProgramTestSupport
import ServiceKit
import Testing

@testable import locationd

/// What is counted, under the names that dashboards rely on.
struct MetricsTests {
    private func text(_ change: (inout ServiceFigures) -> Void) -> String {
        var statistics = Statistics()
        statistics.version = "1.2.3"
        statistics.residentBytes = 4096
        var figures = ServiceFigures(statistics: statistics)
        change(&figures)
        return Metrics().text(figures)
    }

    private func lines(_ name: String, _ change: (inout ServiceFigures) -> Void) -> [Substring] {
        text(change).split(separator: "\n").filter { $0.hasPrefix(name + " ") || $0.hasPrefix(name + "{") }
    }

    @Test func fixesAreToldBySourceAndOutcome() {
        let found = lines("locationd_fixes_total") {
            $0.fixesBySource = ["roof": .init(accepted: 7, repeated: 2, implausible: 1), "desk": .init()]
        }
        #expect(
            found == [
                #"locationd_fixes_total{source="desk",outcome="accepted"} 0"#,
                #"locationd_fixes_total{source="desk",outcome="repeated"} 0"#,
                #"locationd_fixes_total{source="desk",outcome="implausible"} 0"#,
                #"locationd_fixes_total{source="roof",outcome="accepted"} 7"#,
                #"locationd_fixes_total{source="roof",outcome="repeated"} 2"#,
                #"locationd_fixes_total{source="roof",outcome="implausible"} 1"#,
            ])
    }

    @Test func countersOfSourcesAreDecodeErrorsOrReconnects() {
        let fill = { (figures: inout ServiceFigures) in
            figures.statistics.sources = [
                SourceReport(
                    name: "roof", running: true, fixes: 0,
                    counters: ["garbage": 3, "overlong": 1, "connectionFailures": 4, "silences": 2], reason: nil),
                SourceReport(name: "desk", running: false, fixes: 0, counters: [:], reason: nil),
            ]
        }
        #expect(
            lines("locationd_decode_errors_total", fill) == [
                #"locationd_decode_errors_total{source="roof",kind="garbage"} 3"#,
                #"locationd_decode_errors_total{source="roof",kind="overlong"} 1"#,
            ])
        #expect(
            lines("locationd_reconnects_total", fill) == [
                #"locationd_reconnects_total{source="roof"} 6"#, #"locationd_reconnects_total{source="desk"} 0"#,
            ])
        #expect(
            lines("locationd_source_running", fill) == [
                #"locationd_source_running{source="roof"} 1"#, #"locationd_source_running{source="desk"} 0"#,
            ])
    }

    @Test func whatIsUnknownIsNotTold() {
        #expect(lines("locationd_fix_age_seconds") { $0.fixAge = nil } == [])
        #expect(lines("locationd_fix_age_seconds") { $0.fixAge = 1.5 } == ["locationd_fix_age_seconds 1.5"])
        #expect(lines("locationd_process_resident_memory_bytes") { $0.statistics.residentBytes = nil } == [])
    }

    @Test func clientsAndRefusalsAreTold() {
        let fill = { (figures: inout ServiceFigures) in
            figures.statistics.clients = 5
            figures.statistics.deliveries = 1000
            figures.statistics.dropped = 12
            figures.encodings = 20
            figures.authorizationRefusals = [.denied: 3]
            figures.isEnabled = false
        }
        #expect(lines("locationd_clients", fill) == ["locationd_clients 5"])
        #expect(lines("locationd_deliveries_total", fill) == ["locationd_deliveries_total 1000"])
        #expect(lines("locationd_encodings_total", fill) == ["locationd_encodings_total 20"])
        #expect(lines("locationd_dropped_total", fill) == ["locationd_dropped_total 12"])
        #expect(lines("locationd_enabled", fill) == ["locationd_enabled 0"])
        let refusals = lines("locationd_authorization_refusals_total", fill)
        #expect(refusals.contains(#"locationd_authorization_refusals_total{authorization="denied"} 3"#))
        #expect(refusals.contains(#"locationd_authorization_refusals_total{authorization="notDetermined"} 0"#))
        #expect(refusals.count == 5)
    }

    @Test func theProcessIsTold() throws {
        func number(_ name: String) throws -> Double {
            try #require(lines(name) { _ in }.first?.split(separator: " ").last.flatMap { Double($0) })
        }
        #expect(lines("locationd_build_info") { _ in } == [#"locationd_build_info{version="1.2.3"} 1"#])
        #expect(try number("locationd_process_cpu_seconds_total") > 0)
        let limit = try number("locationd_process_max_fds")
        let open = try number("locationd_process_open_fds")
        #expect((3..<limit).contains(open))
        #expect(try number("locationd_process_start_time_seconds") > 1_700_000_000)
        #expect(try number("locationd_process_resident_memory_bytes") == 4096)
    }

    @Test func manualListsEveryMetricAndNoOther() throws {
        let metrics = Metrics()
        for name in metrics.registry.descriptions.keys {
            let labels = name == SourceSupervisor.readerLatency ? [("source", "roof")] : []
            _ = metrics.registry.makeTimer(label: name, dimensions: labels)
        }
        var figures = ServiceFigures(statistics: Statistics())
        figures.fixesBySource = ["roof": .init()]
        figures.statistics.sources = [
            SourceReport(name: "roof", running: true, fixes: 0, counters: ["garbage": 1], reason: nil)
        ]
        figures.statistics.receivers = [
            ReceiverReport(source: "roof", device: nil, followed: true, hasFix: true, fixAge: nil, interval: nil)
        ]
        #expect(try ManualPage("locationd.8").mistakes(about: metrics.families(figures)) == [])
    }
}
