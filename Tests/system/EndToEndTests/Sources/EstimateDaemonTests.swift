import ClientTestSupport
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

/// Estimates of the built daemon, from real gpsd's fixes.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct EstimateDaemonTests {
    /// The receiver falls silent while it moves, as in a tunnel, and speaks again.
    @Test func tunnelIsPredictedForTenSeconds() throws {
        let receiver = try Receiver(rate: 5, knots: 30)
        let gpsd = try GPSD([receiver.path])
        let daemon = try DaemonProcess(Settings.gpsd(gpsd.port))
        let bridge = try BridgeProcess(daemon, "[gpsd]\nestimate = true\n")
        let program = try bridge.gpspipe("-w")
        let plain = try daemon.watch()
        let watch = try daemon.watch { $0.estimate = true }
        try waitUntil("estimates come", within: 60) { watch.locations.count { $0.basis == .filtered } >= 30 }
        receiver.fallSilent()
        // A loaded machine may predict before, where a fix is late.
        func predictions() -> ArraySlice<Location> {
            let locations = watch.locations
            let count = locations.reversed().prefix { $0.basis == .predicted }.count
            return locations.suffix(count)
        }
        try waitUntil("it is said that there is none", within: 60) {
            watch.statuses.last.map { $0.source != .tracking } ?? false
        }
        let predicted = predictions()
        let last = try #require(watch.locations.dropLast(predicted.count).last)
        #expect(predicted.count >= 2 && last.basis == .filtered)
        for prediction in predicted {
            let seconds = prediction.monotonicTime.seconds(since: last.monotonicTime)
            #expect(seconds > 0 && seconds <= 10, "\(seconds)")
            // As far as 15 m/s lead, and said so.
            let distance = prediction.coordinate.distance(to: last.coordinate)
            #expect(distance > 5 * seconds && distance < 25 * seconds, "\(distance) m after \(seconds) s")
        }
        for (one, next) in zip(predicted, predicted.dropFirst()) {
            #expect(try #require(next.horizontalAccuracy) > #require(one.horizontalAccuracy))
        }
        #expect(plain.locations.allSatisfy { $0.basis == nil })
        // gpsd's word for dead reckoning.
        try waitUntil("gpsd's program is told too", details: { program.output.suffix(2000) + bridge.process.errors }) {
            program.output.contains("\"status\":5")
        }
        receiver.speakAgain()
        try waitUntil("it goes on", within: 60) { watch.locations.last?.basis == .filtered }
        try daemon.stop()
    }

    @Test func commandAndLibraryAskForThem() throws {
        let daemon = try DaemonProcess(Settings.simulator(rate: 5))
        let watched = try daemon.locctl("watch", "--estimate", "--json", "--count", "3")
        #expect(watched.code == 0 && watched.output.ranges(of: "\"basis\":").count == 3, "\(watched)")
        let line = try daemon.locctl("watch", "--estimate", "--count", "1").output
        #expect(line.contains(/\((filtered|predicted), 3D/), "\(line)")
        #expect(try daemon.locctl("get", "--estimate", "--json").output.contains("\"basis\":\"filtered\""))
        #expect(try !daemon.locctl("get", "--json").output.contains("basis"))
        let refused = try daemon.locctl("watch", "--estimate", "--every-source")
        #expect(refused.code == 2 && refused.errors.contains("--estimate: it is of the followed source alone"))
        let manager = LocationManager(LocationConfiguration(socketPath: daemon.socket))
        let record = ValueRecorder<Location>()
        manager.addObserver(Observer<Location> { record.append($0) })
        manager.estimate = true
        manager.startUpdating()
        try waitUntil("estimates come", within: 60) { record.values.contains { $0.basis == .filtered } }
        manager.estimate = false
        try waitUntil("fixes come", within: 60) { record.values.last?.basis == nil && !record.values.isEmpty }
        manager.stopUpdating()
        try daemon.stop()
    }
}
