import ArgumentParser
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit

/// `locctl simulate`: injects one simulated location.
struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Injects one location as if a receiver had sent it; it is marked as simulated.",
        discussion: "Southern and western coordinates are negative: `locctl simulate -33.86 151.21`.")

    @OptionGroup var options: ConnectionOptions

    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp("Degrees north, -90 to 90, and degrees east, -180 to 180.", valueName: "latitude longitude"))
    var position: [String] = []

    // Accepts a negative altitude, which would look like an option.
    @Option(parsing: .unconditional, help: ArgumentHelp("Height above mean sea level.", valueName: "metres"))
    var altitude: Double?

    @Option(help: ArgumentHelp("Horizontal accuracy.", valueName: "metres"))
    var accuracy: Double?

    @Option(help: ArgumentHelp("Metres per second.", valueName: "speed"))
    var speed: Double?

    @Option(help: ArgumentHelp("Clockwise from true north, 0 to below 360.", valueName: "degrees"))
    var course: Double?

    func validate() throws {
        _ = try PositionArgument.coordinate(position)
        try requireFinite(altitude, "--altitude")
        try requireFinite(accuracy, "--accuracy")
        try requireFinite(speed, "--speed")
        try requireFinite(course, "--course")
        if let accuracy, accuracy < 0 { throw ValidationError("--accuracy is not negative") }
        if let speed, speed < 0 { throw ValidationError("--speed is not negative; --course sets the direction") }
        if let course, !(0..<360).contains(course) { throw ValidationError("--course is 0 to below 360") }
    }

    func run() throws {
        var location = Location(
            coordinate: try PositionArgument.coordinate(position),
            mode: altitude == nil ? .twoDimensional : .threeDimensional,
            monotonicTime: BootInstant(nanoseconds: 0), source: SourceInformation(name: "simulate", method: .simulated))
        location.altitude = altitude
        location.horizontalAccuracy = accuracy
        location.speed = speed
        location.course = course
        let reply = try options.administer(
            AdminInterface.Method.simulate, SimulateParameters(location: location), as: SimulateReply.self)
        guard !options.json else { return try Output.writeJSON(reply) }
        Output.write(
            "\(Text.coordinate(location.coordinate)) was injected as location \(reply.sequence), marked as simulated")
    }
}
