import ArgumentParser
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel

/// `locctl nearby`: what is known of places by the access points received there.
struct NearbyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nearby",
        abstract: "Shows what locationd-nearby knows of places by their access points, and changes it.",
        discussion: "For administrators. Without a subcommand it is `locctl nearby status`.",
        subcommands: [NearbyStateCommand.self, LearnNearbyCommand.self, ForgetNearbyCommand.self])

    @OptionGroup var options: NearbyOptions

    func run() throws { try NearbyStateCommand.show(options) }
}

/// `locctl nearby status`: what is known, and why the position is not.
struct NearbyStateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Shows how much is known, and whether the position is.")

    @ParentCommand var nearby: NearbyCommand
    @OptionGroup var options: NearbyOptions

    func run() throws { try Self.show(options.joined(with: nearby.options)) }

    static func show(_ options: NearbyOptions) throws {
        let reply = try options.call(NearbyInterface.Method.getState, as: NearbyInterface.StateReply.self)
        guard !options.json else { return try Output.writeJSON(reply) }
        for line in lines(reply.state) { Output.write(line) }
    }

    /// What a person wants to know first: whether there is a position.
    static func lines(_ state: NearbyInterface.State) -> [String] {
        let answer = state.horizontalAccuracy.map { "the access points tell the position to \(Text.number($0, 0)) m" }
        let span = state.firstDay.flatMap { first in
            state.lastDay.map { ", received from \(day(first)) to \(day($0))" }
        }
        return [
            answer ?? "no position: \(state.reason ?? "it does not say why")",
            "  received    \(StatisticsText.count(state.received, "access point")), \(state.known) of them known",
            "  remembered  \(StatisticsText.count(state.accessPoints, "access point"))\(span ?? "")",
            "  file        \(state.file)",
        ] + (state.online.map { ["  network     \(line($0))"] } ?? [])
    }

    private static func line(_ online: NearbyInterface.Online) -> String {
        let asked =
            "\(online.url): \(StatisticsText.count(online.requests, "request")), "
            + StatisticsText.count(online.answers, "answer")
        guard let time = online.lastRequest else { return asked }
        return "\(asked), the last at \(Text.time(time))\(online.reason.map { ": \($0)" } ?? "")"
    }

    /// Days are those of UTC.
    private static func day(_ time: UTCTime) -> Substring { "\(time)".prefix(10) }
}

/// `locctl nearby learn`: the machine is here.
struct LearnNearbyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "learn",
        abstract: "Remembers the access points that are received now at a position.",
        discussion: """
            Without a position it is the present one, for which a receiver is started if necessary. Southern and western \
            coordinates are negative: `locctl nearby learn -33.86 151.21`.
            """)

    @ParentCommand var nearby: NearbyCommand
    @Option(
        help: ArgumentHelp("The daemon's socket, for the present position.", valueName: "path"), completion: .file())
    var socket: String?

    @OptionGroup var options: NearbyOptions

    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp("Degrees north, -90 to 90, and degrees east, -180 to 180.", valueName: "latitude longitude"))
    var position: [String] = []

    @Option(help: ArgumentHelp("The accuracy of the position, up to 200; 20 by default.", valueName: "metres"))
    var accuracy: Double?

    func validate() throws {
        if !position.isEmpty { _ = try PositionArgument.coordinate(position) }
        try requireAttainable(accuracy, "--accuracy")
        if accuracy != nil, position.isEmpty { throw ValidationError("--accuracy is of a position that is given") }
    }

    func run() throws {
        let options = options.joined(with: nearby.options)
        let request =
            try position.isEmpty ? here() : .init(at: PositionArgument.coordinate(position), accuracy: accuracy)
        let learned = try options.call(
            NearbyInterface.Method.learn, request, as: NearbyInterface.Learned.self)
        guard !options.json else { return try Output.writeJSON(learned) }
        Output.write(Self.line(learned))
    }

    static func line(_ learned: NearbyInterface.Learned) -> String {
        let moved = learned.moved > 0 ? ", \(learned.moved) were somewhere else before" : ""
        return
            "\(StatisticsText.count(learned.received, "access point")) remembered here; \(learned.added) were not known\(moved)"
    }

    /// The present position by other means than access points, which would only repeat what they say.
    private func here() throws -> NearbyInterface.LearnRequest {
        var connection = ConnectionOptions()
        connection.socket = socket
        let wait = 30.0
        let location = try connection.connect(wait: wait).call(
            LocationInterface.Method.getLocation, LocationRequest(maximumAge: 10, timeout: wait), as: LocationReply.self
        ).location.value
        guard location.source.method == .gnss || location.source.method == .fixedPosition,
            !location.source.isSimulated
        else {
            throw Failure(
                code: ExitCodes.noLocation,
                message: "the present position is no measured one (\(location.source.method.rawValue)); "
                    + "say where this is: `locctl nearby learn LATITUDE LONGITUDE`")
        }
        return .init(at: location.coordinate, accuracy: location.horizontalAccuracy)
    }
}

/// `locctl nearby forget`: the opposite.
struct ForgetNearbyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Forgets access points, also on the disk: all, those around a position, or those of a time.",
        discussion: "An access point is of a time if it was received in it. With several conditions each has to be met."
    )

    @ParentCommand var nearby: NearbyCommand
    @OptionGroup var options: NearbyOptions

    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp(
            "With --within: degrees north, -90 to 90, and degrees east, -180 to 180.", valueName: "latitude longitude"))
    var position: [String] = []

    @Option(help: ArgumentHelp("Those at most so far from the position.", valueName: "metres"))
    var within: Double?

    @Option(help: ArgumentHelp("Those received on this day or later: \(MomentArgument.help).", valueName: "time"))
    var since: MomentArgument?

    @Option(help: ArgumentHelp("Those received on this day or earlier.", valueName: "time"))
    var until: MomentArgument?

    @Flag(help: "All of them.")
    var all = false

    func validate() throws {
        if !position.isEmpty { _ = try PositionArgument.coordinate(position) }
        guard position.isEmpty == (within == nil) else {
            throw ValidationError("--within and a position belong together")
        }
        try requireAttainable(within, "--within")
        if let since, let until, since.begin > until.end { throw ValidationError("--since is after --until") }
        let isSelection = within != nil || since != nil || until != nil
        guard isSelection != all else {
            throw ValidationError(
                all ? "--all has no conditions" : "say what: --all, --within and a position, --since or --until")
        }
    }

    func run() throws {
        let options = options.joined(with: nearby.options)
        var request = NearbyInterface.ForgetRequest(since: since?.begin, until: until?.end)
        if let within {
            let center = try PositionArgument.coordinate(position)
            (request.latitude, request.longitude) = (center.latitude, center.longitude)
            request.distance = within
        }
        let forgotten = try options.call(
            NearbyInterface.Method.forget, request, as: NearbyInterface.Forgotten.self)
        guard !options.json else { return try Output.writeJSON(forgotten) }
        Output.write("\(StatisticsText.count(forgotten.forgotten, "access point")) forgotten")
    }
}
