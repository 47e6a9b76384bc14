import ClientTestSupport
import Glibc
import ProgramTestSupport
@_spi(Programs) import SystemSupport

/// A service that answers each method with what the test wrote down, to any number of connections.
final class ScriptedService {
    let folder: TemporaryFolder
    let socket: String
    private let listener: Int32
    private let sessions: ScriptedSessions

    /// - Parameter answers: the replies to a call, each one JSON object, by the method's name without its interface, or
    ///   for its first call alone by "METHOD 1", for its second by "METHOD 2"; other methods are answered that there is
    ///   no such interface.
    init(_ answers: [String: [String]]) throws {
        folder = try TemporaryFolder()
        socket = folder("scripted.sock")
        listener = try SocketFile.listener(at: socket)
        chmod(socket, 0o666)
        sessions = ScriptedSessions(answers)
        let (listener, sessions) = (listener, sessions)
        let started = DetachedThread.start(named: "scripted") {
            while case let connection = accept(listener, nil, nil), connection >= 0 { sessions.serve(connection) }
            close(listener)
        }
        guard started else { throw Failure("no further thread is allowed") }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        hangUp()
    }

    /// What was called so far, as it came.
    var calls: [String] { sessions.calls }

    /// Ends every connection.
    func hangUp() { sessions.hangUp() }

    /// Sends a further reply to whoever was promised one last, or else connected last.
    func say(_ reply: String) throws { try sessions.say(reply) }

    /// Runs locctl on the socket, to its end.
    func locctl(_ arguments: String..., as user: OtherUser? = nil) throws -> DaemonProcess.Answer {
        try run(arguments, as: user)
    }

    func run(_ arguments: [String], as user: OtherUser? = nil) throws -> DaemonProcess.Answer {
        let child = try start(arguments, as: user)
        let code = try withExtendedLifetime(self) { try child.wait() }
        return DaemonProcess.Answer(code: code, output: child.output, errors: child.errors)
    }

    /// Starts locctl, which finds the socket by the environment; its local time is UTC. The service has to outlive it.
    func start(_ arguments: [String], as user: OtherUser? = nil) throws -> LoggedProcess {
        let environment = ["LOCATIOND_SOCKET": socket, "TZ": "UTC"]
        guard let user else { return try LoggedProcess(Products.command, arguments, environment: environment) }
        let command = try Products.copied(to: folder).command
        return try LoggedProcess("setpriv", user.command + [command] + arguments, environment: environment)
    }
}
