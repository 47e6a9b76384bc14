import ArgumentParser
import LocationInterface
import LocationKit
import Machine

/// Which daemon, and in which form to answer.
struct ConnectionOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The daemon's socket.", valueName: "path"))
    var socket: String?

    @Flag(help: "Answer in JSON.")
    var json = false

    var path: String { socket ?? SocketPath.mostPrivileged }

    func connect() throws -> VarlinkConnection {
        guard let waker = Waker() else { throw Failure(code: ExitCodes.failed, message: "no descriptor is left") }
        return try connect(waker: waker)
    }

    func connect(waker: Waker) throws -> VarlinkConnection {
        try VarlinkConnection(path: path, waker: waker)
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
            throw Failure(
                code: ExitCodes.notAuthorized,
                message: "this needs the control socket; become root or a member of the group locationd, "
                    + "or name it by --socket")
        }
    }
}

struct NothingToSay: Codable {}
