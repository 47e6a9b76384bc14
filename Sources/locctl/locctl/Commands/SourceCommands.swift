import ArgumentParser
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit

/// `locctl source`: lists the sources, or switches one off or on.
struct SourceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "source",
        abstract: "Lists the configured sources, or switches one off or on; this persists over restarts.",
        discussion: "The sources ranked below take the place of one that is switched off, at once.")

    @OptionGroup var options: ConnectionOptions

    @Argument(help: "The source's name in the configuration.", completion: .sources)
    var name: String?

    @Argument(help: "Switch it.")
    var state: State?

    enum State: String, CaseIterable, ExpressibleByArgument {
        case off, on
    }

    func run() throws {
        guard let name, let state else { return try list() }
        let parameters = SetSourceParameters(name: name, enabled: state == .on)
        do {
            _ = try options.administer(
                AdminInterface.Method.setSource, parameters, wait: ConnectionOptions.diskTimeout)
            try options.writeOutcome(
                "the source \(name) is \(state.rawValue)"
                    + (state == .off ? "; `locctl source \(name) on` switches it on again" : ""))
        } catch LocationError.refused(AdminInterface.Failure.noSuchSource, _) {
            throw unknown(name, known: try sources.map(\.name))
        }
    }

    private struct Listing: Encodable { let sources: [SourceReport] }

    private var sources: [SourceReport] {
        get throws {
            try options.administer(AdminInterface.Method.getStatistics, as: StatisticsReply.self).statistics.sources
        }
    }

    private func unknown(_ name: String, known: [String]) -> Failure {
        let names = known.isEmpty ? "there is none" : "the sources are: \(known.joined(separator: ", "))"
        let order = State(rawValue: name) == nil ? "" : "; the name comes first: `locctl source NAME \(name)`"
        return Failure(code: ExitCodes.failed, message: "no source has the name \(name); \(names)\(order)")
    }

    private func list() throws {
        let all = try sources
        let shown = name.map { name in all.filter { $0.name == name } } ?? all
        if let name, shown.isEmpty { throw unknown(name, known: all.map(\.name)) }
        if options.json { return try Output.writeJSON(Listing(sources: shown)) }
        for source in shown {
            Output.write("\(source.name): \(Self.state(of: source))")
        }
    }

    static func state(of source: SourceReport) -> String {
        guard source.enabled else { return "off" }
        guard source.running else { return "on, not needed now" }
        return source.reason.map { "on, no fix: \($0)" } ?? "on, running"
    }
}

/// `locctl suspend`: stops the sources before the machine sleeps.
struct SuspendCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "suspend",
        abstract: "Stops the sources because the machine is about to sleep; locationd-sleep.service runs this.",
        discussion: """
            The machine itself does not sleep by this command. Without `locctl resume` the sources may run again after \
            a minute, in which time asleep counts.
            """)

    @OptionGroup var options: ConnectionOptions

    func run() throws {
        _ = try options.administer(AdminInterface.Method.suspend)
        try options.writeOutcome("the sources have stopped; `locctl resume` lets them run again")
    }
}

/// `locctl resume`: lets the sources run again after the machine has slept.
struct ResumeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Lets the sources run again when the machine is awake; locationd-sleep.service runs this.",
        discussion: "The recording of the track is resumed by `locctl track resume`.")

    @OptionGroup var options: ConnectionOptions

    func run() throws {
        _ = try options.administer(AdminInterface.Method.resume)
        try options.writeOutcome("the sources run again when a program needs them")
    }
}
