import ClientTestSupport
import Foundation
import ProgramTestSupport

/// The built locationd-places over the built database.
final class PlacesProgram {
    let socket: String
    let process: LoggedProcess
    private let folder: TemporaryFolder

    /// Returns when clients can connect.
    ///
    /// - Parameter isActivated: whether the first client starts it, and it ends when it was idle for a second.
    init(isActivated: Bool = false) throws {
        folder = try TemporaryFolder()
        let socket = folder("places.sock")
        self.socket = socket
        let configuration = try folder.write(
            "[service]\nidle-exit = 1\ndatabase = \"\(try Self.database)\"\n", to: "places.toml")
        let flags = ["--config", configuration]
        process =
            try isActivated
            ? LoggedProcess(
                "systemd-socket-activate",
                SocketActivation.passingSanitizers + ["-l", socket, "--fdname=places", Products.places] + flags)
            : LoggedProcess(Products.places, ["--socket", socket] + flags)
        try waitUntil("locationd-places listens", details: { [process] in process.errors }) { [process] in
            if let code = process.exitCode { throw Failure("it ended with \(code): \(process.errors)") }
            return process.errors.contains(isActivated ? "\(socket) as " : "listening")
        }
    }

    deinit {
        process.signal(SIGTERM)
        _ = try? process.wait(within: 10)
    }

    func locctl(_ arguments: String...) throws -> DaemonProcess.Answer {
        let child = try LoggedProcess(
            Products.command, arguments, environment: ["LOCATIOND_PLACES_SOCKET": socket, "LANG": "C.UTF-8"])
        let code = try child.wait()
        return DaemonProcess.Answer(code: code, output: child.output, errors: child.errors)
    }

    /// `make geodata` puts it into the folder that the programs are built in.
    private static var database: String {
        get throws {
            var folder = URL(filePath: Products.places).deletingLastPathComponent()
            while folder.pathComponents.count > 1 {
                let file = folder.appending(path: "geodata/places.sqlite").path
                if FileManager.default.fileExists(atPath: file) { return file }
                folder.deleteLastPathComponent()
            }
            throw Failure("there is no geodata/places.sqlite above the tests; `make geodata` makes it")
        }
    }
}
