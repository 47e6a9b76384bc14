import ArgumentParser
import Logging
import StrictTOML

/// The places service's command line.
struct PlacesFlags: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "locationd-places",
        abstract: "Serves the names of places to the programs of this machine.",
        usage: "locationd-places [<options>]",
        discussion: "Exit codes: 0 ended as asked or idle, 1 failed, 2 wrong flags or configuration.")

    /// The configuration file; `nil` for the default one, which may be missing.
    @Option(
        name: .customLong("config"),
        help: .init("Read this configuration instead of \(PlacesConfiguration.defaultPath).", valueName: "path"),
        transform: Self.text)
    var configurationPath: String?

    @Flag(name: .customLong("check-config"), help: "Check the configuration and exit.")
    var checksConfiguration = false

    /// The path of the socket; `nil` if systemd passes it.
    @Option(
        name: .customLong("socket"),
        help: .init("Listen there instead of on systemd's socket, and do not exit when idle.", valueName: "path"),
        transform: Self.text)
    var socketPath: String?

    /// The least severe level that is logged; `nil` leaves it to the configuration.
    @Option(
        help: .init("Log this level and above: trace, debug, info, …, critical.", valueName: "level"),
        transform: Self.level)
    var logLevel: Logger.Level?

    @Flag(name: .customLong("version"), help: "Print the version and exit.")
    var showsVersion = false

    /// Why a command line is invalid, and what to do, in one line.
    ///
    /// - Parameter error: what the parser threw.
    /// - Returns: `nil` if help was asked for, which the parser reports as an error too.
    static func mistake(_ error: any Error) -> String? {
        guard !exitCode(for: error).isSuccess else { return nil }
        let message = message(for: error)
        let isSentence = message.hasSuffix(".") || message.hasSuffix("?")
        return "\(message)\(isSentence ? " See" : "; see") locationd-places --help".onOneLine
    }

    private static func text(_ text: String) throws -> String {
        guard !text.isEmpty else { throw ValidationError("the value is empty") }
        return text
    }

    private static func level(_ text: String) throws -> Logger.Level {
        let levels = Rule<Logger.Level>.choice
        do throws(Refusal) {
            return try levels.read(.text(text))
        } catch {
            throw ValidationError("\(error.problem); \(error.remedy ?? "use \(levels.accepts)")")
        }
    }
}
