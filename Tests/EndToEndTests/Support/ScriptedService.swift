import Glibc
import SystemSupport
import TestSupport

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
        socket = folder.file("scripted.sock")
        listener = try Self.listen(socket)
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

    /// Sends a further reply to whoever connected last.
    func say(_ reply: String) throws { try sessions.say(reply) }

    /// Runs locctl on the socket, to its end.
    func locctl(_ arguments: String..., as user: OtherUser? = nil) throws -> Daemon.Answer {
        try run(arguments, as: user)
    }

    func run(_ arguments: [String], as user: OtherUser? = nil) throws -> Daemon.Answer {
        let child = try start(arguments, as: user)
        let code = try withExtendedLifetime(self) { try child.wait() }
        return Daemon.Answer(code: code, output: child.output, errors: child.errors)
    }

    /// Starts locctl, which finds the socket by the environment. The service has to outlive it.
    func start(_ arguments: [String], as user: OtherUser? = nil) throws -> Child {
        let environment = ["LOCATIOND_SOCKET": socket]
        guard let user else { return try Child(Products.command, arguments, environment: environment) }
        let command = try Products.copied(to: folder).command
        return try Child("setpriv", user.command + [command] + arguments, environment: environment)
    }

    private static func listen(_ path: String) throws -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let listener = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard code == 0, chmod(path, 0o666) == 0, Glibc.listen(listener, 16) == 0 else {
            throw Failure("cannot listen at \(path): \(String(cString: strerror(errno)))")
        }
        return listener
    }
}
