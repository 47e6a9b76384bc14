/// The flags there are.
enum FlagName: String, CaseIterable {
    case config, policy, gpsd, simulate, replay, version, help
    case checkConfig = "check-config"
    case runtimeDirectory = "runtime-directory"
    case stateDirectory = "state-directory"
    case logLevel = "log-level"

    /// The flag as it is written.
    var flag: String { "--\(rawValue)" }

    /// The flag with what stands for its value.
    var usage: String { flag + (placeholder.map { " \($0)" } ?? "") }

    /// What stands for the value in the help; `nil` for a flag that takes none.
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

    /// What it does, for the help.
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
    /// What `--help` prints.
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
