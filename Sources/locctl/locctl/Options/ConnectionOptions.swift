import ArgumentParser
import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import SystemSupport
import Varlink

/// The daemon's socket, and the format of the answer.
struct ConnectionOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The daemon's socket.", valueName: "path"), completion: .file())
    var socket: String?

    @Flag(help: "Answer in JSON.")
    var json = false

    var path: String { socket ?? SocketPath.mostPrivileged }

    /// Seconds that a daemon may take to answer, and after which a message says that locctl is waiting.
    private static let (patience, quiet) = (5.0, 1.0)
    /// Additional seconds for calls that write to a disk.
    static let diskTimeout = 15.0

    /// - Parameter wait: additional seconds that the call may take.
    func connect(wait: Double = 0) throws -> VarlinkConnection {
        guard let waker = Waker() else { throw Failure(code: ExitCodes.failed, message: "no descriptor is left") }
        return try connect(waker: waker, wait: wait)
    }

    func connect(waker: Waker, wait: Double = 0) throws -> VarlinkConnection {
        let connection = try VarlinkConnection(path: path, waker: waker, patience: Self.patience + max(wait, 0))
        let path = path
        connection.onSilence(after: Self.quiet + max(wait, 0)) {
            Output.write("locctl: waiting for the daemon at \(path), which does not answer", to: STDERR_FILENO)
        }
        return connection
    }

    /// Connects and calls a method of the admin interface. If the caller is not authorized, the error says who is.
    func administer<Answer: Decodable>(
        _ method: String, _ parameters: some Encodable = NoParameters(), as type: Answer.Type = NoParameters.self,
        wait: Double = 0
    ) throws -> Answer {
        do {
            return try withPolkitAgent(isNeeded: asksPolkit(for: method), wait: wait) {
                try $0.administer(method, parameters, as: type)
            }
        } catch let error as LocationError {
            throw administratorAdvice(error) ?? error
        }
    }

    /// Seconds that a person may take to authenticate with polkit.
    private static let authenticationTimeout = 125.0

    /// Whether the daemon may ask polkit about a call: of a caller who cannot use the control socket.
    private func asksPolkit(for method: String) -> Bool {
        socket == nil && SocketPath.control == nil && AdminInterface.gate(of: method) != nil
    }

    /// Calls the daemon while polkit can ask the person at this terminal.
    func withPolkitAgent<Answer>(
        isNeeded: Bool = true, wait: Double = 0, _ body: (VarlinkConnection) throws -> Answer
    ) throws -> Answer {
        let agent = isNeeded ? PolkitAgent() : nil
        do {
            let answer = try body(connect(wait: wait + (isNeeded ? Self.authenticationTimeout : 0)))
            _ = consume agent
            return answer
        } catch LocationError.refused(LocationInterface.Failure.notPermitted, let reason) {
            throw Failure(code: ExitCodes.notAuthorized, message: reason ?? "the daemon gives no reason")
        } catch LocationError.tooManyAuthorizations {
            throw Failure(
                code: ExitCodes.notAuthorized,
                message: "polkit is asking for a password on behalf of another program; close that dialog unless you "
                    + "caused it, and try again")
        }
    }

    /// - Returns: `nil` if the error does not concern the caller's permission.
    private func administratorAdvice(_ error: LocationError) -> (any Error)? {
        guard case .unauthorized(_, let reason) = error, !AdministratorCommand.isSuperuser else { return nil }
        let isNamed = socket != nil || getenv(SocketPath.environmentVariable) != nil
        let command = AdministratorCommand.text(socket: isNamed ? path : nil)
        return Failure(code: ExitCodes.notAuthorized, message: "\(reason); an administrator can: `\(command)`")
    }

    /// Writes what is so after a command that has changed something; in JSON that is an empty object.
    func writeOutcome(_ outcome: String) throws {
        if json { try Output.writeJSON(NoParameters()) } else { Output.write(outcome) }
    }
}

extension VarlinkConnection {
    /// Calls a method of the admin interface. If the socket does not have that interface, the error says which one
    /// does.
    func administer<Answer: Decodable>(
        _ method: String, _ parameters: some Encodable = NoParameters(), as type: Answer.Type = NoParameters.self
    ) throws -> Answer {
        do throws(LocationError) {
            return try call(method, parameters, as: type)
        } catch .refused("org.varlink.service.InterfaceNotFound", _) {
            throw Failure(code: ExitCodes.notAuthorized, message: Self.needsControlSocket)
        } catch .refused(AdminInterface.Failure.disabled, _) {
            throw LocationError.disabled
        }
    }

    private static var needsControlSocket: String {
        let advice =
            AdministratorCommand.isSuperuser
            ? "name it with --socket, or unset --socket and LOCATIOND_SOCKET"
            : "an administrator can: `\(AdministratorCommand.text(socket: nil))`"
        return "this needs the control socket; \(advice)"
    }
}

/// The present command line as an administrator would enter it.
enum AdministratorCommand {
    static var isSuperuser: Bool { geteuid() == 0 }

    /// - Parameters:
    ///   - arguments: the arguments, beginning with the program's name.
    ///   - socket: the socket that has to be used; `nil` lets the command choose.
    static func text(_ arguments: [String] = CommandLine.arguments, socket: String?) -> String {
        var words = ["sudo", "locctl"]
        var isPath = false
        for word in arguments.dropFirst() {
            if !isPath, word != "--socket", !word.hasPrefix("--socket=") { words.append(quoted(word)) }
            isPath = !isPath && word == "--socket"
        }
        if let socket { words += ["--socket", quoted(socket)] }
        return words.joined(separator: " ")
    }

    /// A word quoted for the shell.
    private static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "-_./:@=,+%".utf8.contains(byte)
            }
        }
        guard !isPlain || word.isEmpty else { return word }
        return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }
}
