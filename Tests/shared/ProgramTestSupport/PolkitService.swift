import Foundation
import Glibc

/// The real polkitd on a bus of the test's own, with our actions, rules of the test's and login sessions that the test
/// writes down as systemd-logind does: it runs in mounts of its own, and the machine's polkit is not touched.
package final class PolkitService: Sendable {
    private static let program = "/usr/lib/polkit-1/polkitd"

    /// Mounts, and processes in control groups of users, take root.
    package static var isPossible: Bool { ControlGroup.isPossible && access(program, X_OK) == 0 }

    private let folder: TemporaryFolder
    private let process: LoggedProcess

    /// - Parameters:
    ///   - rules: JavaScript, as of a file in `rules.d`.
    ///   - hasActions: whether our file of actions is installed.
    package init(on bus: PrivateBus, rules: String = "", hasActions: Bool = true) throws {
        folder = try TemporaryFolder()
        for name in ["actions", "rules", "systemd", "systemd/users", "systemd/sessions", "systemd/seats"] {
            let path = try folder.makeFolder(name)
            // polkitd gives root's rights away.
            chmod(path, 0o755)
        }
        chmod(folder.path, 0o755)
        if hasActions {
            let name = "org.locationd.policy"
            let actions = Repository.root.appendingPathComponent("config/polkit/\(name)")
            try Self.write(String(contentsOf: actions, encoding: .utf8), to: "actions/\(name)", in: folder)
        }
        try Self.write(rules, to: "rules/10-test.rules", in: folder)
        process = try LoggedProcess(
            "unshare", ["-m", "sh", "-ec", Self.script, folder.path], environment: bus.environment)
        let process = process
        try waitUntil("polkitd is on the bus", details: { process.errors }) {
            if let code = process.exitCode { throw Failure("polkitd ended with \(code): \(process.errors)") }
            let answer = try bus.call(
                "org.freedesktop.DBus", "/", "org.freedesktop.DBus.NameHasOwner",
                "string:org.freedesktop.PolicyKit1")
            return answer.contains("true")
        }
    }

    /// Ends it without a chance to say good-bye.
    package func kill() throws {
        process.signal(SIGKILL)
        _ = try process.wait()
    }

    /// A file that polkitd can read, which has its own user.
    private static func write(_ text: String, to name: String, in folder: TemporaryFolder) throws {
        chmod(try folder.write(text, to: name), 0o644)
    }

    /// - Parameter $0: the folder with the files.
    private static let script = """
        mount --bind "$0/actions" /usr/share/polkit-1/actions
        mount --bind "$0/rules" /etc/polkit-1/rules.d
        mount --bind "$0/rules" /usr/share/polkit-1/rules.d
        mkdir -p /run/systemd
        mount --bind "$0/systemd" /run/systemd
        exec \(program) --no-debug
        """

    /// A user's login session, whose processes are those in ``Session/group``.
    package struct Session: Sendable {
        package let uid: UInt32
        package let name: String
        package let group: ControlGroup
    }

    /// Writes down a session.
    ///
    /// - Parameters:
    ///   - seat: where it is; `nil` for one over SSH.
    ///   - isActive: whether it is in the foreground of its seat.
    package func addSession(_ name: String, of uid: UInt32, seat: String? = "seat0", isActive: Bool = true) throws
        -> Session
    {
        try setActive(isActive, name, of: uid, seat: seat)
        return Session(
            uid: uid, name: name, group: try ControlGroup("user.slice/user-\(uid).slice/session-\(name).scope"))
    }

    package func setActive(_ isActive: Bool, _ name: String, of uid: UInt32, seat: String? = "seat0") throws {
        let state = isActive ? "active" : "online"
        try Self.write(
            """
            NAME=user\(uid)
            STATE=\(state)
            STOPPING=no
            DISPLAY=\(name)
            SESSIONS=\(name)
            ACTIVE_SESSIONS=\(isActive ? name : "")
            ONLINE_SESSIONS=\(name)

            """, to: "systemd/users/\(uid)", in: folder)
        try Self.write(
            """
            UID=\(uid)
            USER=user\(uid)
            ACTIVE=\(isActive ? 1 : 0)
            IS_DISPLAY=1
            STATE=\(state)
            REMOTE=\(seat == nil ? 1 : 0)
            TYPE=\(seat == nil ? "tty" : "x11")
            CLASS=user
            \(seat.map { "SEAT=\($0)" } ?? "SERVICE=sshd")
            LEADER=1

            """, to: "systemd/sessions/\(name)", in: folder)
    }
}

/// A program of a session that asks its person to authenticate, as a desktop's does; here the test is the person.
package final class AuthenticationAgent: Sendable {
    private let bus: PrivateBus
    private let uid: UInt32
    private let process: AssistantProcess
    private let lines: LineQueue

    /// Registers with polkit.
    package init(on bus: PrivateBus, in session: PolkitService.Session) async throws {
        self.bus = bus
        uid = session.uid
        process = try AssistantProcess(
            AssistantProcess.python(Self.script, [bus.address, session.name]), uid: session.uid, in: session.group)
        lines = LineQueue(process)
        let word = try await lines.next()
        guard word == "ready" else { throw Failure("no agent: \(word)") }
    }

    /// What polkit asks next: the action and a cookie, or that a question is withdrawn.
    package func question() async throws -> (action: String, cookie: String) {
        let words = try await lines.next().split(separator: " ").map(String.init)
        guard words.count == 2 else { throw Failure("the agent says \(words)") }
        return (words[0], words[1])
    }

    /// The person gives the right password: polkit's helper, which runs as root, has checked it.
    package func authenticate(_ cookie: String) throws {
        let call = try LoggedProcess(
            "busctl",
            [
                "--address=" + bus.address, "call", "org.freedesktop.PolicyKit1",
                "/org/freedesktop/PolicyKit1/Authority",
                "org.freedesktop.PolicyKit1.Authority", "AuthenticationAgentResponse2", "us(sa{sv})", "\(uid)", cookie,
                "unix-user", "1", "uid", "u", "\(uid)",
            ])
        guard try call.wait() == 0 else { throw Failure("no response: \(call.errors)") }
        try process.nudge()
    }

    /// The person closes the dialog, or gives a wrong password.
    package func giveUp() throws { try process.nudge() }

    package func end() async throws { try await process.end() }

    /// Each nudge ends the present question; a withdrawn one ends by itself.
    private static let script = """
        import dbus, dbus.service, sys, socket
        from dbus.mainloop.glib import DBusGMainLoop
        from gi.repository import GLib
        DBusGMainLoop(set_as_default=True)
        hand = socket.socket(fileno=0)
        bus = dbus.bus.BusConnection(sys.argv[1])
        def say(text):
            hand.sendall((text + "\\n").encode())
        class Cancelled(dbus.DBusException):
            _dbus_error_name = "org.freedesktop.PolicyKit1.Error.Cancelled"
        class Agent(dbus.service.Object):
            pending = None
            @dbus.service.method("org.freedesktop.PolicyKit1.AuthenticationAgent", in_signature="sssa{ss}sa(sa{sv})",
                                 async_callbacks=("reply", "error"))
            def BeginAuthentication(self, action, message, icon, details, cookie, identities, reply, error):
                self.pending = (cookie, reply, error)
                say(action + " " + cookie)
            @dbus.service.method("org.freedesktop.PolicyKit1.AuthenticationAgent", in_signature="s")
            def CancelAuthentication(self, cookie):
                if self.pending:
                    say("withdrawn " + cookie)
                self.finish()
            def finish(self):
                if self.pending:
                    self.pending[1]()
                    self.pending = None
        agent = Agent(bus, "/agent")
        authority = dbus.Interface(
            bus.get_object("org.freedesktop.PolicyKit1", "/org/freedesktop/PolicyKit1/Authority"),
            "org.freedesktop.PolicyKit1.Authority")
        session = ("unix-session", {"session-id": dbus.String(sys.argv[2], variant_level=1)})
        authority.RegisterAuthenticationAgent(session, "C", "/agent")
        loop = GLib.MainLoop()
        def heard(*_):
            if not hand.recv(1):
                loop.quit()
                return False
            agent.finish()
            return True
        GLib.io_add_watch(0, GLib.IO_IN | GLib.IO_HUP, heard)
        say("ready")
        loop.run()
        """
}
