import ClientTestSupport
import Foundation
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

/// A program in C over libgps, as navigation programs are, beside a watch of the daemon.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct LibgpsClientTests {
    private static let source = """
        #include <gps.h>
        #include <math.h>
        #include <stdio.h>
        #include <stdlib.h>

        int main(int count, char **arguments) {
            struct gps_data_t data;
            if (count != 3 || gps_open(arguments[1], arguments[2], &data)) return 1;
            if (gps_stream(&data, WATCH_ENABLE | WATCH_JSON, NULL)) return 2;
            while (gps_waiting(&data, 20000000)) {
                if (gps_read(&data, NULL, 0) < 0) return 3;
                if (!(data.set & LATLON_SET) || !(data.set & TIME_SET)) continue;
                printf("%lld.%03ld %d %.9f %.9f %.3f %.3f %.4f %.4f %d\\n", (long long)data.fix.time.tv_sec,
                       data.fix.time.tv_nsec / 1000000, data.fix.mode, data.fix.latitude, data.fix.longitude,
                       data.fix.eph, data.fix.speed, data.fix.track, data.fix.altMSL, data.satellites_used);
                fflush(stdout);
            }
            return 4;
        }
        """

    @Test func readsWhatTheDaemonTells() throws {
        let folder = try TemporaryFolder()
        try folder.write(Self.source, to: "client.c")
        let compiler = try LoggedProcess(
            "sh", ["-c", "cc -o \(folder("client")) \(folder("client.c")) $(pkg-config --cflags --libs libgps)"])
        #expect(try compiler.wait() == 0, "\(compiler.errors)")
        let receiver = try Receiver()
        let gpsd = try GPSD([receiver.path])
        let daemon = try DaemonProcess(Settings.gpsd(gpsd.port))
        let bridge = try BridgeProcess(daemon)
        let watch = try daemon.watch()
        let client = try LoggedProcess(folder("client"), ["127.0.0.1", "\(bridge.port)"])
        func fixes() -> [[Double]] {
            // The last line may not have been written to its end.
            client.output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map { line in
                line.split(separator: " ").compactMap { Double($0) }
            }
        }
        let fix = try waitUntil("it reads ten fixes", details: { client.output + client.errors }) {
            fixes().count >= 10 ? fixes().last : nil
        }
        try #require(fix.count == 9, "\(fix)")
        let location = try #require(
            try watch.wait("the same fix") { reply in
                guard let time = reply.location?.value.timestamp else { return false }
                return abs(Double(time.seconds) + Double(time.nanoseconds) / 1e9 - fix[0]) < 0.0005
            }.location?.value)
        #expect(fix[1] == (location.mode == .threeDimensional ? 3 : 2))
        #expect(abs(fix[2] - location.coordinate.latitude) < 1e-9)
        #expect(abs(fix[3] - location.coordinate.longitude) < 1e-9)
        #expect(abs(fix[4] - (location.horizontalAccuracy ?? -1)) < 0.001)
        #expect(abs(fix[5] - (location.speed ?? -1)) < 0.001)
        #expect(abs(fix[6] - (location.course ?? -1)) < 0.0001)
        #expect(abs(fix[7] - (location.altitude ?? -1)) < 0.0001)
        #expect(Int(fix[8]) == location.satellitesUsed)
    }
}
