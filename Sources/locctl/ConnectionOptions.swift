import ArgumentParser
import Glibc
import LocationInterface
import LocationKit
import SystemSupport

/// Which daemon, and in which form to answer.
struct ConnectionOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The daemon's socket.", valueName: "path"), completion: .file())
    var socket: String?

    @Flag(help: "Answer in JSON.")
    var json = false

    var path: String { socket ?? SocketPath.mostPrivileged }

    /// How many seconds any daemon may take over an answer, and after how many it is said that it is waited for.
    private static let (patience, quiet) = (5.0, 1.0)
    /// How many seconds more one may take that has a disk to wait for.
    static let diskPatience = 15.0

    /// - Parameter wait: the seconds that the daemon may take over a call, beyond what any daemon needs.
    func connect(wait: Double = 0) throws -> VarlinkConnection {
        guard let waker = Waker() else { throw Failure(code: ExitCodes.failed, message: "no descriptor is left") }
        return try connect(waker: waker, wait: wait)
    }

    func connect(waker: Waker, wait: Double = 0) throws -> VarlinkConnection {
        let connection = try VarlinkConnection(path: path, waker: waker, patience: Self.patience + max(wait, 0))
        let path = path
        connection.whenSilent(for: Self.quiet + max(wait, 0)) {
            Output.write("locctl: waiting for the daemon at \(path), which does not answer", to: STDERR_FILENO)
        }
        return connection
    }

    /// Connects, calls a method of the admin interface and explains who may.
    func administer<Answer: Decodable>(
        _ method: String, _ parameters: some Encodable = NothingToSay(), as type: Answer.Type = NothingToSay.self,
        wait: Double = 0
    ) throws -> Answer {
        do {
            return try connect(wait: wait).administer(method, parameters, as: type)
        } catch let error as LocationError {
            throw administratorAdvice(error) ?? error
        }
    }

    /// - Returns: `nil` for an error that is not about who asks.
    private func administratorAdvice(_ error: LocationError) -> (any Error)? {
        guard case .unauthorized(_, let reason) = error, !AdministratorCommand.isSuperuser else { return nil }
        let isNamed = socket != nil || getenv(SocketPath.environmentVariable) != nil
        let command = AdministratorCommand.text(socket: isNamed ? path : nil)
        return Failure(code: ExitCodes.notAuthorized, message: "\(reason); an administrator can: `\(command)`")
    }

    /// What a command without an answer of its own tells in JSON.
    func tellDone() throws {
        if json { try Output.writeJSON(NothingToSay()) }
    }
}

extension VarlinkConnection {
    /// Calls a method of the admin interface and explains a socket that lacks it.
    func administer<Answer: Decodable>(
        _ method: String, _ parameters: some Encodable = NothingToSay(), as type: Answer.Type = NothingToSay.self
    ) throws -> Answer {
        do throws(LocationError) {
            return try call(method, parameters, as: type)
        } catch .refused("org.varlink.service.InterfaceNotFound", _) {
            throw Failure(code: ExitCodes.notAuthorized, message: Self.needsControlSocket)
        }
    }

    private static var needsControlSocket: String {
        let advice =
            AdministratorCommand.isSuperuser
            ? "name it by --socket, or leave --socket and LOCATIOND_SOCKET out"
            : "an administrator can: `\(AdministratorCommand.text(socket: nil))`"
        return "this needs the control socket; \(advice)"
    }
}

struct NothingToSay: Codable {}
