package import Logging
import StrictTOML

/// The daemon's command line.
package struct Flags: Sendable, Equatable {
    /// A source that replaces all configured ones.
    package enum Source: Sendable, Equatable {
        case gpsd(HostAndPort)
        case simulator
        /// A recording; a relative path is relative to the working directory.
        case replay(file: String)
    }

    /// The configuration file; `nil` for the default one, which may be missing.
    package var configurationPath: String?
    /// The policy's main file, which must exist; `nil` for the one beside the configuration file, which may be missing.
    package var policyPath: String?
    /// Whether to check the configuration and the policy and exit.
    package var checksConfiguration = false
    /// The directory of the sockets.
    package var runtimeDirectory = "/run/locationd"
    /// The directory of persistent state.
    package var stateDirectory = "/var/lib/locationd"
    package var source: Source?
    /// The least severe level that is logged; `nil` leaves it to the configuration.
    package var logLevel: Logger.Level?
    package var showsVersion = false
    package var showsHelp = false

    /// An empty command line.
    package init() {}
}

/// Why a command line is invalid, and what to do, in one line.
package struct UsageError: Error, Equatable, CustomStringConvertible {
    /// What is wrong and what to do.
    package let reason: String

    init(_ problem: String, _ remedy: String) {
        reason = "\(problem); \(remedy)".onOneLine
    }

    package var description: String { "locationd: \(reason)" }
}

extension Flags {
    /// Parses a command line; `--key value` and `--key=value` are equivalent.
    ///
    /// - Parameter arguments: The arguments without the program's name.
    /// - Throws: What is unknown, repeated, conflicting or invalid, and what to do.
    package static func parse(_ arguments: [String]) throws(UsageError) -> Flags {
        var flags = Flags()
        var given: [FlagName] = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = try name(of: String(parts.first ?? ""))
            guard !given.contains(name) else {
                throw UsageError("\(name.flag) is given twice", "give it once")
            }
            try refuseConflict(of: name, with: given)
            given.append(name)
            let attached = parts.count == 2 ? String(parts[1]) : nil
            if name.placeholder != nil {
                guard let value = attached ?? takeValue(from: &rest), !value.isEmpty else {
                    throw UsageError("\(name.flag) lacks its value", "write \(name.usage)")
                }
                try flags.set(name, to: value)
            } else {
                if let attached {
                    throw UsageError("\(name.flag) takes no value but has \(attached.quoted)", "write \(name.flag)")
                }
                flags.turnOn(name)
            }
        }
        return flags
    }

    private static func name(of argument: String) throws(UsageError) -> FlagName {
        let help = "see locationd --help"
        guard argument.hasPrefix("-") else {
            throw UsageError("unexpected argument \(argument.quoted)", "remove it or \(help)")
        }
        if argument.hasPrefix("--"), let name = FlagName(rawValue: String(argument.dropFirst(2))) { return name }
        let word = String(argument.drop { $0 == "-" })
        let meant = Spelling.nearest(to: word.lowercased(), among: FlagName.allCases.map(\.rawValue))
        throw UsageError("unknown flag \(argument.quoted)", meant.map { "did you mean --\($0)?" } ?? help)
    }

    /// The next argument, unless it is a flag itself.
    private static func takeValue(from rest: inout ArraySlice<String>) -> String? {
        rest.first?.hasPrefix("--") == true ? nil : rest.popFirst()
    }

    private static func refuseConflict(of name: FlagName, with given: [FlagName]) throws(UsageError) {
        let sources: [FlagName] = [.gpsd, .simulate, .replay]
        guard sources.contains(name), let other = given.first(where: sources.contains) else { return }
        throw UsageError("\(other.flag) and \(name.flag) exclude each other", "choose one source")
    }

    private mutating func set(_ name: FlagName, to value: String) throws(UsageError) {
        do {
            switch name {
            case .config: configurationPath = value
            case .policy: policyPath = value
            case .runtimeDirectory: runtimeDirectory = value
            case .stateDirectory: stateDirectory = value
            case .gpsd: source = .gpsd(try HostAndPort(parsing: value))
            case .replay: source = .replay(file: value)
            case .logLevel: logLevel = try Rule<Logger.Level>.choice.read(.text(value))
            case .simulate, .version, .help, .checkConfig: break
            }
        } catch {
            let usual = name == .logLevel ? "use \(Rule<Logger.Level>.choice.accepts)" : "write \(name.usage)"
            throw UsageError("\(name.flag): \(error.problem)", error.remedy ?? usual)
        }
    }

    private mutating func turnOn(_ name: FlagName) {
        switch name {
        case .checkConfig: checksConfiguration = true
        case .simulate: source = .simulator
        case .version: showsVersion = true
        case .help: showsHelp = true
        case .config, .policy, .runtimeDirectory, .stateDirectory, .gpsd, .replay, .logLevel: break
        }
    }
}

/// The names of the flags.
enum FlagName: String, CaseIterable {
    case config, policy, gpsd, simulate, replay, version, help
    case checkConfig = "check-config"
    case runtimeDirectory = "runtime-directory"
    case stateDirectory = "state-directory"
    case logLevel = "log-level"

    /// The flag as written on the command line.
    var flag: String { "--\(rawValue)" }

    /// The flag with the placeholder of its value.
    var usage: String { flag + (placeholder.map { " \($0)" } ?? "") }

    /// The placeholder of the value in the help; `nil` for a flag without a value.
    var placeholder: String? {
        switch self {
        case .config, .policy: "PATH"
        case .runtimeDirectory, .stateDirectory: "DIR"
        case .gpsd: "HOST:PORT"
        case .replay: "FILE"
        case .logLevel: "LEVEL"
        case .simulate, .version, .help, .checkConfig: nil
        }
    }

    /// The help text of the flag.
    var meaning: String {
        switch self {
        case .config: "read this configuration instead of \(Configuration.defaultPath)"
        case .policy: "read these rules instead of \(PolicyFile.name) beside the configuration"
        case .checkConfig: "check the configuration and the policy and leave"
        case .runtimeDirectory: "where the sockets are (\(Flags().runtimeDirectory))"
        case .stateDirectory: "where state is kept (\(Flags().stateDirectory))"
        case .gpsd: "take locations from this gpsd alone, such as [::1]:2947"
        case .simulate: "take locations from a simulator alone"
        case .replay: "take locations from this recording alone"
        case .logLevel: "log this level and above: trace, debug, info, …, critical"
        case .version: "print the version and leave"
        case .help: "print this text and leave"
        }
    }
}

extension Flags {
    /// The output of `--help`.
    package static var helpText: String {
        let shown: [FlagName] = [
            .config, .policy, .checkConfig, .runtimeDirectory, .stateDirectory, .gpsd, .simulate, .replay, .logLevel,
            .version, .help,
        ]
        let rows = shown.map { name in
            let gap = String(repeating: " ", count: max(1, 26 - name.usage.count))
            return "  \(name.usage)\(gap)\(name.meaning)"
        }
        return """
            Usage: locationd [FLAGS]

            Tells programs where this machine is.

            \(rows.joined(separator: "\n"))

            Flags win over the environment (LOCATIOND_GPSD, LOCATIOND_LOG_LEVEL), which wins over the files.
            """
    }
}
