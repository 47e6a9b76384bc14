import ClientTestSupport
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import ProgramTestSupport
import Testing

/// A machine that stands, with a real gpsd: its watches pause, and go on when it moves.
@Suite(.timeLimit(.minutes(10)))
struct PauseDaemonTests {
    @Test(.onOwnThreadMostlyWaiting) func watchPausesWhileTheMachineStands() throws {
        let receiver = try Receiver(knots: 0)
        let gpsd = try GPSD([receiver.path])
        let daemon = try DaemonProcess(Settings.gpsd(gpsd.port))
        let watch = try daemon.watch {
            $0.pausesAutomatically = true
            $0.activityType = .fitness
        }
        try watch.awaitLocation()
        let pause = try watch.wait("the watch pauses", within: 120) { $0.status?.paused == true }
        #expect(pause.status?.source == .tracking && pause.status?.stationary == true)
        let seen = watch.replies.count
        try waitUntil("the connection to gpsd ends") { gpsd.clients == 0 }
        let status = try daemon.locctl("status")
        #expect(status.output.contains("stationary"), "\(status)")
        #expect(watch.replies.count == seen, "what the receivers do is not sent to it")

        #expect(try daemon.locctl("simulate", "-33.86", "-151.21").code == 0)
        let location = try watch.awaitLocation(after: seen)
        #expect(location.coordinate.latitude == -33.86)
        let resumption = watch.replies.dropFirst(seen).compactMap(\.status).first
        #expect(resumption != nil && resumption?.paused == nil && resumption?.stationary == nil)
        try watch.wait("the receiver runs again", after: seen) { $0.location?.value.source.device == receiver.path }
        #expect(watch.dropped == 0)
    }
}
