import ClientTestSupport
import Foundation
import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import ProgramTestSupport

/// A locationd that systemd's own activation starts when the first client comes, and that tells the test what it would
/// tell systemd.
final class ActivatedDaemon {
    let folder: TemporaryFolder
    /// First what listens in its place, then the daemon itself: the process stays the same.
    let process: LoggedProcess
    /// Of its sockets, in their order.
    let paths: [String]
    private let receiver: NotificationReceiver

    var socket: String { paths[0] }
    var log: String { process.errors }
    /// What systemd would have heard.
    var messages: [String] { receiver.messages }
    var feedings: Int { messages.count { $0 == "WATCHDOG=1" } }

    /// Returns when clients can connect.
    ///
    /// - Parameters:
    ///   - watchdog: seconds without a sign of life after which systemd would end it; `nil` for no such limit.
    ///   - names: of the sockets, whose files are `first`, `second` and so on.
    init(
        _ configuration: String, watchdog: Double? = nil, names: [String] = ["location", "control"]
    ) throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        receiver = try NotificationReceiver(folder("notify"))
        try folder.write(configuration, to: "locationd.toml")
        var environment = ["NOTIFY_SOCKET": receiver.address]
        if let watchdog { environment["WATCHDOG_USEC"] = "\(Int(watchdog * 1e6))" }
        let paths = zip(names, ["first", "second", "third"]).map { folder($1) }
        self.paths = paths
        process = try LoggedProcess(
            "systemd-socket-activate",
            SocketActivation.passingSanitizers + environment.keys.flatMap { ["-E", $0] } + paths.flatMap { ["-l", $0] }
                + ["--fdname=\(names.joined(separator: ":"))", Products.daemon] + DaemonProcess.flags(in: folder),
            environment: environment)
        try waitUntil("systemd-socket-activate listens", details: { log }) {
            if let code = process.exitCode { throw Failure("it is missing, or ended: \(code) \(log)") }
            return log.contains("\(paths.last ?? "") as ")
        }
    }

    deinit {
        process.signal(SIGTERM)
        _ = try? process.wait(within: 10)
    }

    func watch() throws -> Watcher { try Watcher(socket: socket, WatchRequest()) }

    /// Waits for a message, among those after the first so many.
    /// - Returns: its place.
    @discardableResult
    func awaitMessage(_ what: String, after seen: Int = 0, _ fits: (String) -> Bool) throws -> Int {
        try waitUntil(what, details: { "\(messages) \(log)" }) {
            if let code = process.exitCode { throw Failure("locationd ended with \(code): \(log)") }
            return messages.indices.dropFirst(seen).first { fits(messages[$0]) }
        }
    }

    /// Stops one of its threads, and no other, until what is returned is gone or told to end.
    func freeze(_ thread: String) throws -> LoggedProcess {
        let script = Repository.root.appending(path: "Tests/system/freeze-thread.py").path
        let freezer = try LoggedProcess("/usr/bin/python3", [script, "\(process.pid)", thread])
        try waitUntil("\(thread) is frozen", details: { freezer.errors }) {
            if let code = freezer.exitCode { throw Failure("not frozen: \(code) \(freezer.errors)") }
            return freezer.output == "frozen\n"
        }
        return freezer
    }
}
