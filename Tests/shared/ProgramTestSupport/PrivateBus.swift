import Foundation
import Glibc

/// A system bus of the test's own, which ends with it.
package final class PrivateBus: Sendable {
    private let folder: TemporaryFolder
    private let daemon: LoggedProcess

    /// - Parameter rules: further rules of its policy, such as what is refused.
    package init(rules: String = "") throws {
        let folder = try TemporaryFolder()
        let configuration = try folder.write(
            """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig>
              <type>custom</type><listen>unix:path=\(folder("bus"))</listen><auth>EXTERNAL</auth>
              <policy context="default">
                <allow user="*"/><allow own="*"/><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>
              </policy>
              \(rules)
            </busconfig>
            """, to: "bus.conf")
        daemon = try LoggedProcess("dbus-daemon", ["--config-file", configuration, "--nofork", "--nopidfile"])
        self.folder = folder
        try waitUntil("the bus listens", details: { daemon.errors }) {
            FileManager.default.fileExists(atPath: folder("bus"))
        }
    }

    package var address: String { "unix:path=" + folder("bus") }

    /// What has programs use this bus as the system bus.
    package var environment: [String: String] { ["DBUS_SYSTEM_BUS_ADDRESS": address] }

    /// Ends it without a chance to say good-bye.
    package func kill() throws {
        daemon.signal(SIGKILL)
        _ = try daemon.wait()
    }

    /// Calls a method by dbus-send, and returns what it prints of the reply.
    package func call(_ destination: String, _ path: String, _ method: String, _ arguments: String...) throws -> String
    {
        let call = try LoggedProcess(
            "dbus-send",
            ["--bus=" + address, "--print-reply=literal", "--dest=" + destination, path, method] + arguments)
        guard try call.wait() == 0 else { throw Failure("\(method): \(call.errors)") }
        return call.output
    }
}
