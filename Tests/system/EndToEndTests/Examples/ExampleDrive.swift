import ClientTestSupport
import ProgramTestSupport

/// A drive that begins in Quito, simulated by a locationd of the test's own.
enum ExampleDrive {
    static let start = (latitude: -0.22, longitude: -78.5125)

    static func daemon(in folder: TemporaryFolder? = nil) async throws -> DaemonProcess {
        try await DaemonProcess.started(
            """
            [[sources]]
            kind = "simulator"
            rate = 10
            latitude = \(start.latitude)
            longitude = \(start.longitude)
            """, in: folder)
    }
}
