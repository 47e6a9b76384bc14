import ClientTestSupport
import Foundation
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import ProgramTestSupport
@_spi(Programs) import SystemSupport

extension DaemonProcess {
    /// What a run of locctl came to.
    struct Answer {
        let code: Int32
        let output: String
        let errors: String

        var lines: [Substring] { output.split(separator: "\n") }

        /// The one JSON object that was written.
        var object: [String: Any] {
            get throws { try json(output) }
        }
    }

    /// Starts locctl on the control socket, or another.
    func start(_ command: String, _ arguments: [String], socket: String? = nil) throws -> LoggedProcess {
        try LoggedProcess(Products.command, [command, "--socket", socket ?? control] + arguments)
    }

    /// Runs locctl to its end.
    func locctl(
        _ command: String, _ arguments: String..., socket: String? = nil, within seconds: Double = 40
    ) throws -> Answer {
        let child = try start(command, arguments, socket: socket)
        let code = try child.wait(within: seconds)
        return Answer(code: code, output: child.output, errors: child.errors)
    }

    /// Opens a watch that goes on until it is let go.
    func watch(_ change: (inout WatchRequest) -> Void = { _ in }) throws -> Watcher {
        var parameters = WatchRequest()
        change(&parameters)
        return try Watcher(socket: socket, parameters)
    }

    /// Asks for one location, over a connection of its own.
    func location(_ parameters: LocationRequest) throws -> Aged<Location> {
        try connect().call(
            LocationInterface.Method.getLocation, parameters, as: LocationReply.self, seconds: 40
        ).location
    }

    func status() throws -> ServiceStatus {
        try connect().call(LocationInterface.Method.getStatus, as: StatusReply.self, seconds: 20).status
    }
}

/// One JSON object.
func json(_ text: some StringProtocol) throws -> [String: Any] {
    guard let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] else {
        throw Failure("no JSON object: \(text)")
    }
    return object
}
