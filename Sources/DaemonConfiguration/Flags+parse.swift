import Logging
import StrictTOML

extension Flags {
    /// Reads a command line, `--key value` and `--key=value` alike.
    ///
    /// - Parameter arguments: Without the program's name.
    /// - Throws: What is unknown, repeated, in conflict or not understood, and what to do.
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
