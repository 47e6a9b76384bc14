import Logging
import StrictTOML

/// The places service's command line.
struct PlacesFlags: Sendable, Equatable {
    /// The configuration file; `nil` for the default one, which may be missing.
    var configurationPath: String?
    /// The path of the socket; `nil` if systemd passes it.
    var socketPath: String?
    /// The least severe level that is logged; `nil` leaves it to the configuration.
    var logLevel: Logger.Level?
    /// Whether to check the configuration and exit.
    var checksConfiguration = false
    var showsVersion = false
    var showsHelp = false

    /// An empty command line.
    init() {}

    /// All flags with the placeholder of the value, if they have one, and their meaning.
    static let all: [(name: String, placeholder: String?, meaning: String)] = [
        ("--config", "PATH", "read this configuration instead of \(PlacesConfiguration.defaultPath)"),
        ("--check-config", nil, "check the configuration and leave"),
        ("--socket", "PATH", "listen there rather than where systemd does, and never end for want of clients"),
        ("--log-level", "LEVEL", "log this level and above: trace, debug, info, …, critical"),
        ("--version", nil, "print the version and leave"),
        ("--help", nil, "print this text and leave"),
    ]

    /// Parses a command line; `--key value` and `--key=value` are equivalent.
    ///
    /// - Parameter arguments: The arguments without the program's name.
    /// - Throws: What is unknown, repeated or invalid, and what to do.
    static func parse(_ arguments: [String]) throws(PlacesUsageError) -> PlacesFlags {
        var flags = PlacesFlags()
        var given: [String] = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let flag = all.first(where: { $0.name == parts.first }) else {
                let meant = Spelling.nearest(to: parts.first ?? "", among: all.map(\.name))
                throw PlacesUsageError(
                    "unknown argument \(argument.quoted)",
                    meant.map { "did you mean \($0)?" } ?? "see locationd-places --help")
            }
            guard !given.contains(flag.name) else {
                throw PlacesUsageError("\(flag.name) is given twice", "give it once")
            }
            given.append(flag.name)
            guard let placeholder = flag.placeholder else {
                guard parts.count == 1 else {
                    throw PlacesUsageError("\(flag.name) takes no value", "write \(flag.name)")
                }
                flags.turnOn(flag.name)
                continue
            }
            let next =
                parts.count == 1 && rest.first?.hasPrefix("--") != true ? rest.popFirst() : parts.dropFirst().first
            guard let value = next, !value.isEmpty else {
                throw PlacesUsageError("\(flag.name) lacks its value", "write \(flag.name) \(placeholder)")
            }
            try flags.set(flag.name, to: value)
        }
        return flags
    }

    private mutating func turnOn(_ flag: String) {
        switch flag {
        case "--check-config": checksConfiguration = true
        case "--version": showsVersion = true
        default: showsHelp = true
        }
    }

    private mutating func set(_ flag: String, to value: String) throws(PlacesUsageError) {
        switch flag {
        case "--config": configurationPath = value
        case "--socket": socketPath = value
        default:
            let levels = Rule<Logger.Level>.choice
            do {
                logLevel = try levels.read(.text(value))
            } catch {
                throw PlacesUsageError("\(flag): \(error.problem)", error.remedy ?? "use \(levels.accepts)")
            }
        }
    }

    /// The output of `--help`.
    static var helpText: String {
        let rows = all.map { flag in
            let usage = flag.name + (flag.placeholder.map { " \($0)" } ?? "")
            return "  \(usage)\(String(repeating: " ", count: max(1, 20 - usage.count)))\(flag.meaning)"
        }
        return """
            Usage: locationd-places [FLAGS]

            Tells programs what the places of the world are called.

            \(rows.joined(separator: "\n"))
            """
    }
}

/// Why a command line is invalid, and what to do, in one line.
struct PlacesUsageError: Error, Equatable {
    /// What is wrong and what to do.
    let reason: String

    init(_ problem: String, _ remedy: String) {
        reason = "\(problem); \(remedy)".onOneLine
    }
}
