import ClientTestSupport
import Foundation
import Glibc
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

/// The daemon's metrics as monitoring reads them; Prometheus' own checker judges them.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct MetricsTests {
    private func metrics(_ daemon: DaemonProcess) throws -> String {
        let answer = try daemon.locctl("statistics", "--format", "prometheus")
        guard answer.code == 0 else { throw Failure("locctl failed: \(answer.errors)") }
        return answer.output
    }

    private func value(_ series: String, in text: String) -> Double? { Promtool.value(series, in: text) }

    @Test func countersMove() throws {
        let daemon = try DaemonProcess(Settings.simulator(rate: 20))
        let before = try metrics(daemon)
        #expect(value(#"locationd_fixes_total{source="simulator",outcome="accepted"}"#, in: before) == 0)
        #expect(value("locationd_demanded", in: before) == 0)
        #expect(try Promtool.complaints(about: before) == "")
        let watch = try daemon.watch()
        try watch.wait("ten locations come") { _ in watch.locations.count >= 10 }
        let after = try metrics(daemon)
        let fixes = try #require(value(#"locationd_fixes_total{source="simulator",outcome="accepted"}"#, in: after))
        #expect(fixes >= 10)
        #expect(try #require(value("locationd_deliveries_total", in: after)) >= 10)
        #expect(value("locationd_demanded", in: after) == 1)
        #expect(value("locationd_watches", in: after) == 1)
        #expect(value(#"locationd_source_running{source="simulator"}"#, in: after) == 1)
        #expect(try #require(value("locationd_fix_age_seconds", in: after)) < 600)
        #expect(value("locationd_time_to_first_fix_seconds_count", in: after) == 1)
        #expect(try #require(value("locationd_event_loop_latency_seconds_count", in: after)) > 0)
        let read = try #require(value(#"locationd_reader_latency_seconds_count{source="simulator"}"#, in: after))
        #expect(read >= 10)
        #expect(try Promtool.complaints(about: after) == "")
        #expect(try daemon.locctl("statistics", "--format", "prometheus", "--json").code == 2)
    }

    @Test func unreachableGPSDIsReconnectedTo() throws {
        let daemon = try DaemonProcess(Settings.gpsd(try LoopbackPort.free()))
        let watch = try daemon.watch()
        try watch.awaitStatus(.unavailable)
        let text = try metrics(daemon)
        #expect(try #require(value(#"locationd_reconnects_total{source="gpsd"}"#, in: text)) >= 3)
        #expect(value("locationd_fix_age_seconds", in: text) == nil, "there was no fix")
        #expect(try Promtool.complaints(about: text) == "")
    }

    @Test func textfileIsRenewedMovedAndRemoved() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeFolder("collector")
        let first = folder("collector/first.prom")
        func configuration(_ path: String) -> String {
            Settings.simulator(rate: 20) + "[metrics]\ntextfile = \"\(path)\"\ninterval = 1\n"
        }
        let daemon = try DaemonProcess(configuration(first))
        let watch = try daemon.watch()
        try waitUntil("the file tells of fixes") {
            value(#"locationd_fixes_total{source="simulator",outcome="accepted"}"#, in: text(of: first)) ?? 0 > 5
        }
        #expect(try Promtool.complaints(about: text(of: first)) == "")
        var status = stat()
        #expect(stat(first, &status) == 0 && status.st_mode & 0o7777 == 0o640)
        let second = folder("collector/second.prom")
        try daemon.reconfigure(configuration(second))
        let reload = try daemon.locctl("reload")
        #expect(reload.output.contains("changed: metrics.textfile"), "\(reload)")
        try waitUntil("the new file is written") { text(of: second).contains("locationd_build_info") }
        #expect(!FileManager.default.fileExists(atPath: first))
        #expect(try watch.awaitLocation(after: watch.replies.count).source.isSimulated)
        #expect(try daemon.stop() == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder("collector")) == [])
    }

    @Test func missingDirectoryIsToldOnceAndTriedAgain() throws {
        let folder = try TemporaryFolder()
        let path = folder("collector/locationd.prom")
        let daemon = try DaemonProcess(Settings.simulator() + "[metrics]\ntextfile = \"\(path)\"\ninterval = 1\n")
        try daemon.awaitLog("the metrics cannot be written")
        #expect(daemon.log.contains("create the directory and let the service's user write there"))
        _ = try folder.makeFolder("collector")
        try waitUntil("the file is written") { text(of: path).contains("locationd_build_info") }
        try daemon.awaitLog("the metrics are written again")
        #expect(daemon.log.components(separatedBy: "the metrics cannot be written").count == 2, "\(daemon.log)")
    }
}
