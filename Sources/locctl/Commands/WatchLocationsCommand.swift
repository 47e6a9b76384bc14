import ArgumentParser
import LocationFormats
import LocationInterface
import LocationKit
import SystemSupport
import Varlink

extension LocationFormatName: ExpressibleByArgument {}

/// `locctl watch`: writes locations as they arrive.
struct WatchLocationsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Follows the position, one line per fix, until Ctrl-C.")

    @OptionGroup var options: ConnectionOptions

    @Option(help: "geojson, gpx, nmea, csv or kml, for other programs.")
    var format: LocationFormatName?

    @Option(help: "End after so many locations.")
    var count: Int?

    @Option(help: "End after so many seconds.")
    var duration: Double?

    @Option(help: "A location every so many seconds, between which the receivers rest.")
    var every: Double?

    @Option(help: "Seconds for which the daemon may hold locations back, to send several together.")
    var maxDelay: Double?

    @Option(help: "Metres: try the sources of lower rank while the one in use is less accurate.")
    var desiredAccuracy: Double?

    @Option(
        help: "What for: other, automotiveNavigation, fitness, otherNavigation or airborne; selects filters.",
        completion: .list(ActivityType.allCases.map(\.rawValue)), transform: Self.activityType)
    var activityType: ActivityType?

    @Flag(help: "Pause while the machine is stationary.")
    var pausesAutomatically = false

    @Flag(help: "Only reduced accuracy, though this user may know more.")
    var reducedAccuracy = false

    @OptionGroup var filter: FilterOptions
    @OptionGroup var terminalStyle: TerminalStyle

    @Flag(help: "Also print the satellites in view.")
    var satellites = false

    @Flag(help: "Also print compass headings.")
    var heading = false

    @Option(help: "Degrees to turn between two headings, with --heading.")
    var headingFilter: Double?

    private static func activityType(_ argument: String) throws -> ActivityType {
        guard let type = ActivityType(rawValue: argument) else {
            throw ValidationError("it is one of \(ActivityType.names)")
        }
        return type
    }

    func validate() throws {
        if let headingFilter {
            if !(0...180).contains(headingFilter) { throw ValidationError("--heading-filter is 0 to 180 degrees") }
            if !heading { throw ValidationError("--heading-filter needs --heading") }
        }
        if let count, count < 1 { throw ValidationError("--count is 1 or more") }
        if let duration, !(duration > 0 && duration <= WatchRequest.durationLimit) {
            throw ValidationError("--duration is more than 0 and at most 31536000 seconds")
        }
        if let every, !(every > 0 && every <= WatchRequest.durationLimit) {
            throw ValidationError("--every is more than 0 and at most 31536000 seconds")
        }
        let isForLocationsAlone = !filter.passive && !satellites && !heading
        if every != nil, !isForLocationsAlone {
            throw ValidationError("choose one of --every and --passive, --satellites and --heading")
        }
        if pausesAutomatically, !isForLocationsAlone {
            throw ValidationError("choose one of --pauses-automatically and --passive, --satellites and --heading")
        }
        if let maxDelay {
            guard maxDelay > 0, maxDelay <= WatchRequest.delayLimit else {
                throw ValidationError("--max-delay is more than 0 and at most 3600 seconds")
            }
            if satellites || heading { throw ValidationError("choose one of --max-delay and --satellites, --heading") }
        }
        if let desiredAccuracy {
            guard desiredAccuracy > 0, desiredAccuracy.isFinite else {
                throw ValidationError("--desired-accuracy is more than 0 metres")
            }
            if filter.passive { throw ValidationError("choose one of --desired-accuracy and --passive") }
        }
        if options.json, format != nil { throw ValidationError("choose one of --json and --format") }
    }

    func run() throws {
        try Interruption.withWaker { try follow(until: $0) }
    }

    private func follow(until waker: Waker) throws {
        let connection = try options.connect(waker: waker)
        var request = filter.request
        request.maximumUpdates = count
        request.duration = duration
        request.interval = every
        request.maximumDelay = maxDelay
        request.desiredAccuracy = desiredAccuracy
        request.activityType = activityType
        request.pausesAutomatically = pausesAutomatically
        request.reducedAccuracy = reducedAccuracy
        request.satellites = satellites
        request.heading = heading
        request.headingFilter = headingFilter
        try connection.send(LocationInterface.Method.watch, request, more: true)
        var printer = UpdatePrinter(
            json: options.json, format: format, longestGap: max(30, 3 * max(filter.interval ?? 0, every ?? 0)),
            style: Output.isTerminal ? terminalStyle.style : nil)
        printer.open()
        defer { printer.close() }
        while let reply = try connection.nextReply() {
            let update = try reply.answer(as: WatchReply.self)
            try update.status?.requirePermission()
            let isOver = !reply.continues && update.status?.reason == "duration"
            if !isOver || options.json { try printer.print(update) }
            if !reply.continues { return isOver || update.location != nil ? () : try update.failAtEnd() }
        }
    }
}

extension WatchReply {
    /// A last reply without a location has the reason why the service ends.
    func failAtEnd() throws {
        throw Failure(code: ExitCodes.daemonNotReachable, message: "the service is \(status?.reason ?? "gone")")
    }
}

/// The options that select locations.
struct FilterOptions: ParsableArguments {
    @Option(name: .customLong("distance"), help: "Metres to move between two locations.")
    var distance: Double?

    @Option(help: "Seconds between two locations, at least.")
    var interval: Double?

    @Option(help: "Hold back locations worse than so many metres.")
    var accuracy: Double?

    @Flag(help: "Watch what others cause, and start no receiver.")
    var passive = false

    @Flag(help: "Fixes of every receiver, not of the followed one alone.")
    var everySource = false

    @Option(help: "What it is for; shown to the administrator.")
    var purpose: String?

    func validate() throws {
        try requireFinite(distance, "--distance")
        try requireFinite(interval, "--interval")
        try requireFinite(accuracy, "--accuracy")
    }

    var request: WatchRequest {
        var request = WatchRequest()
        request.distanceFilter = distance
        request.minimumInterval = interval
        request.requiredAccuracy = accuracy
        request.passive = passive
        request.everySource = everySource
        request.purpose = purpose ?? "locctl"
        return request
    }
}
