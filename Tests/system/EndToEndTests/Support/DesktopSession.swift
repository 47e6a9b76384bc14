import ClientTestSupport
import Foundation
import Glibc
import ProgramTestSupport

/// A user's session at the machine: polkit on a system bus, a session's bus with a notification server, and the user's
/// programs in the session's control group.
final class DesktopSession: Sendable {
    /// The user `daemon`: polkit knows nobody without an account.
    static let user = OtherUser(number: 1)

    static var isPossible: Bool { PolkitService.isPossible && OtherUser.canBeBecome }

    /// A phone's distribution, where polkit consents without a dialog.
    static let consent = """
        polkit.addRule(function (action) {
            if (action.id.indexOf("org.locationd.decide-own") == 0) return polkit.Result.YES;
        });
        """

    let systemBus: PrivateBus
    let sessionBus: PrivateBus
    let polkit: PolkitService
    let session: PolkitService.Session
    private let folder: TemporaryFolder

    init(named name: String, rules: String = "") throws {
        systemBus = try PrivateBus()
        sessionBus = try PrivateBus(.session, of: Self.user)
        polkit = try PolkitService(on: systemBus, rules: rules)
        session = try polkit.addSession(name, of: Self.user.number)
        folder = try TemporaryFolder()
        chmod(folder.path, 0o755)
    }

    /// A daemon that asks this polkit.
    ///
    /// - Parameter policy: that of the agent's package by default. With it a location needs a login session that the
    ///   daemon sees, too; those of the test are polkit's alone.
    func daemon(policy: String? = nil) throws -> DaemonProcess {
        let folder = try TemporaryFolder()
        chmod(folder.path, 0o755)
        let shipped = Repository.root.appendingPathComponent("config/policy.d/50-locationd-agent.toml")
        try DaemonProcess.write(try policy ?? String(contentsOf: shipped, encoding: .utf8), in: folder)
        return try DaemonProcess(Settings.simulator(), in: folder, environment: systemBus.environment)
    }

    /// A program of the user in the session.
    func start(_ program: String, _ arguments: [String], environment: [String: String] = [:]) throws -> LoggedProcess {
        let script = #"echo 0 >"$0/cgroup.procs" && exec setpriv "$@""#
        let variables = ["DBUS_SESSION_BUS_ADDRESS": sessionBus.address].merging(systemBus.environment) { $1 }
        return try LoggedProcess(
            "sh", ["-c", script, session.group.path] + Self.user.command + [program] + arguments,
            environment: variables.merging(environment) { $1 })
    }

    /// The agent of the session.
    func agent(
        of daemon: DaemonProcess, _ flags: [String] = [], language: String = "en_US.UTF-8"
    ) throws -> LoggedProcess {
        try start(
            try copy(of: "locationd-agent"), ["--socket", daemon.socket] + flags,
            environment: ["LC_ALL": language, "LANGUAGE": ""])
    }

    /// A program where every user may run it.
    func copy(of program: String) throws -> String {
        let copy = folder(program)
        if !FileManager.default.fileExists(atPath: copy) {
            guard try LoggedProcess("cp", [Products.path(of: program), copy]).wait() == 0 else {
                throw Failure("\(program) is not copied")
            }
        }
        return copy
    }
}
