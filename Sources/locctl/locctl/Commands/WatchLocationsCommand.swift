import ArgumentParser
import LocationFormats
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
@_spi(Programs) import SystemSupport
import Varlink

extension LocationFormatName: ExpressibleByArgument {}

/// `locctl watch`: writes locations as they arrive.
struct WatchLocationsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Follows the position, one line per fix, until Ctrl-C.")

    @OptionGroup var options: ConnectionOptions

    @Option(help: "Write for other programs; geojsonl is GeoJSON with a Feature a line.")
    var format: LocationFormatName?

    @Option(help: ArgumentHelp("End after so many locations.", valueName: "n"))
    var count: Int?

    @Option(help: ArgumentHelp("End after so many seconds.", valueName: "seconds"))
    var duration: Double?

    @Option(
        help: ArgumentHelp(
            "One location every so many seconds, between which the receivers rest if there is time.",
            valueName: "seconds"))
    var every: Double?

    @Option(
        help: ArgumentHelp(
            "How long the daemon may hold locations back, to send several together.", valueName: "seconds"))
    var maxDelay: Double?

    @Option(
        help: ArgumentHelp(
            "Try the sources of lower rank while the one in use is less accurate.", valueName: "metres"))
    var desiredAccuracy: Double?

    @Option(
        help: ArgumentHelp(
            "What for: other, automotiveNavigation, fitness, otherNavigation or airborne; selects filters.",
            valueName: "type"),
        completion: .list(ActivityType.allCases.map(\.rawValue)), transform: Self.activityType)
    var activityType: ActivityType?

    @Flag(help: "Pause while the machine is stationary.")
    var pausesAutomatically = false

    @Flag(
        help:
            "Estimates in place of fixes: still at a standstill, and predicted for at most ten seconds without a fix.")
    var estimate = false

    @Flag(help: "Only reduced accuracy, though this user may know more.")
    var reducedAccuracy = false

    @OptionGroup var filter: FilterOptions
    @OptionGroup var terminalStyle: TerminalStyle

    @Flag(help: "Also print the satellites in view.")
    var satellites = false

    @Flag(help: "Also print compass headings.")
    var heading = false

    @Option(help: ArgumentHelp("How far to turn between two headings, with --heading.", valueName: "degrees"))
    var headingFilter: Double?

    private static func activityType(_ argument: String) throws -> ActivityType {
        guard let type = ActivityType(rawValue: argument) else {
            throw ValidationError("it is one of \(ActivityType.names)")
        }
        return type
    }

    /// The options of those members of the request that have no option of the same name.
    private static let names = [
        "interval": "every", "maximumDelay": "max-delay", "desiredAccuracy": "desired-accuracy",
        "headingFilter": "heading-filter", "pausesAutomatically": "pauses-automatically",
    ]

    /// The rules are the daemon's.
    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count is 1 or more") }
        try refuse([("--json", options.json)], with: "--format", if: format != nil)
        do throws(InvalidField) { try request.validate() } catch {
            throw ValidationError("--\(Self.names[error.field] ?? error.field): \(error.reason)")
        }
    }

    private var request: WatchRequest {
        var request = filter.request
        // The daemon would end the watch with the last location, before the satellites that belong to it.
        request.maximumUpdates = satellites ? nil : count
        request.duration = duration
        request.interval = every
        request.maximumDelay = maxDelay
        request.desiredAccuracy = desiredAccuracy
        request.activityType = activityType
        request.pausesAutomatically = pausesAutomatically
        request.estimate = estimate
        request.reducedAccuracy = reducedAccuracy
        request.satellites = satellites
        request.heading = heading
        request.headingFilter = headingFilter
        return request
    }

    func run() throws {
        try Interruption.withWaker { try follow(until: $0) }
    }

    private func follow(until waker: Waker) throws {
        let connection = try options.connect(waker: waker)
        try connection.send(LocationInterface.Method.watch, request, more: true)
        var printer = UpdatePrinter(
            json: options.json, format: format, longestGap: max(30, 3 * max(filter.interval ?? 0, every ?? 0)),
            namesSource: filter.everySource, style: Output.isTerminal ? terminalStyle.style : nil)
        printer.open()
        defer { printer.close() }
        var ending = satellites ? count.map(WatchEnding.init) : nil
        while let reply = try connection.nextReply(seconds: ending?.secondsLeft(at: MachineClock.now) ?? .infinity) {
            let update = try reply.answer(as: WatchReply.self)
            try update.status?.requirePermission()
            let isOver = !reply.continues && update.status?.reason == "duration"
            let shown = ending == nil ? update : ending?.apply(update, at: MachineClock.now)
            if let shown, !isOver || options.json { try printer.print(shown) }
            if ending?.isReached == true { return }
            if !reply.continues { return isOver || update.location != nil ? () : try update.failAtEnd() }
        }
    }
}

/// Counts the locations of a watch with satellites: it ends with the first satellites after the last location, because
/// a receiver reports them once for each fix.
struct WatchEnding {
    /// Seconds for which to wait for them: twice as long as the slowest usual receivers take between two reports.
    private static let patience = 4.0

    private var left: Int
    private var end: BootInstant?
    private(set) var isReached = false
    private var maySeeSatellites = true

    /// - Parameter count: of locations, 1 or more.
    init(count: Int) { left = count }

    /// - Returns: the reply if it is to be shown: no location is after the last.
    mutating func apply(_ update: WatchReply, at now: BootInstant) -> WatchReply? {
        if let status = update.status { maySeeSatellites = status.accuracy == .full }
        if end != nil {
            isReached = update.satellites != nil
            return update.location == nil ? update : nil
        } else if update.location != nil {
            left -= 1
            if left <= 0 {
                end = now.advanced(bySeconds: Self.patience)
                isReached = update.satellites != nil || !maySeeSatellites
            }
        }
        return update
    }

    /// Seconds until it ends without them; `nil` before the last location.
    func secondsLeft(at now: BootInstant) -> Double? { end.map { max(0, $0.seconds(since: now)) } }
}

extension WatchReply {
    /// A last reply without a location has the reason why the service ends.
    func failAtEnd() throws {
        throw Failure(code: ExitCodes.daemonNotReachable, message: "the service is \(status?.reason ?? "gone")")
    }
}

/// The options that select locations.
struct FilterOptions: ParsableArguments {
    @Option(
        name: .customLong("distance"),
        help: ArgumentHelp("How far to move between two locations.", valueName: "metres"))
    var distance: Double?

    @Option(help: ArgumentHelp("At least so long between two locations.", valueName: "seconds"))
    var interval: Double?

    @Option(help: ArgumentHelp("Hold back locations less accurate than this.", valueName: "metres"))
    var accuracy: Double?

    @Flag(help: "Receive locations while other programs need them, and start no receiver.")
    var passive = false

    @Flag(help: "Fixes of every receiver, not of the followed one alone.")
    var everySource = false

    @Option(help: ArgumentHelp("What it is for; shown to the administrator.", valueName: "text"))
    var purpose: String?

    func validate() throws {
        try requireFinite(distance, "--distance")
        try requireFinite(interval, "--interval")
        try requireAttainable(accuracy, "--accuracy")
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
