import ArgumentParser
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
@_spi(Programs) import SystemSupport
import Varlink

/// The socket of locationd-fleet for administrators, and the format of the answer.
struct FleetControlOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The socket of locationd-fleet.", valueName: "path"), completion: .file())
    var fleetSocket: String?

    @Flag(help: "Answer in JSON.")
    var json = false

    /// With the options of the command above, whose an option is that both have.
    func joined(with above: FleetCommand) -> FleetControlOptions {
        var joined = self
        joined.json = json || above.json
        return joined
    }

    /// - Parameter seconds: what the answer may take.
    func call<Answer: Decodable>(
        _ method: String, _ parameters: some Encodable = NoParameters(), within seconds: Double
    ) throws -> Answer {
        do {
            return try ServiceCall.answer(
                method, parameters, at: fleetSocket ?? FleetInterface.socketPath, within: seconds)
        } catch LocationError.refused(FleetInterface.Failure.unknownDestination, _) {
            throw Failure(
                code: ExitCodes.failed,
                message: "there is no such destination; `locctl fleet status` shows them, and a broker has no test")
        } catch LocationError.refused(FleetInterface.Failure.noLocation, let reason) {
            throw Failure(
                code: ExitCodes.noLocation, message: "there is no location to send: \(reason ?? "it does not say why")")
        } catch let error as LocationError {
            throw Failure(
                error, of: "locationd-fleet", what: "whom the location is sent to is for administrators to see")
        }
    }
}

/// `locctl fleet status`: whom this machine reports to, and what became of it.
struct FleetStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Shows whom locationd-fleet sends this machine's location, and what became of it.")

    @ParentCommand var fleet: FleetCommand
    @OptionGroup var options: FleetControlOptions

    func run() throws {
        let options = options.joined(with: fleet)
        let reply: FleetInterface.Destinations = try options.call(FleetInterface.Method.getDestinations, within: 15)
        guard !options.json else { return try Output.writeJSON(reply) }
        for destination in reply.destinations {
            for line in Self.lines(destination, at: MachineClock.utc) { Output.write(line) }
        }
    }

    /// The first line says the state.
    static func lines(_ destination: FleetInterface.Destination, at now: UTCTime) -> [String] {
        let state =
            destination.problem.map { "\(destination.stopped ? "stopped" : "failing"): \($0)" } ?? "in order"
        let last =
            destination.lastDelivery.map { "\(Text.wholeDuration(max(0, now.seconds(since: $0)))) ago" } ?? "never"
        let dropped = destination.dropped.map { $0 > 0 ? ", \($0) were deleted for want of room" : "" } ?? ""
        return [
            "\(destination.name)  \(state)", "  url        \(destination.url)", "  delivered  \(last)",
            "  waiting    \(StatisticsText.count(destination.waiting, "report"))\(dropped)",
        ]
    }
}

/// `locctl fleet test`: the present location, once.
struct FleetTestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Sends the present location to a destination once, and says what it answers.")

    /// Seconds for several requests, such as a registration, each with its own limit.
    private static let patience = 150.0

    @ParentCommand var fleet: FleetCommand
    @OptionGroup var options: FleetControlOptions

    @Argument(help: "The destination's name in the configuration.")
    var name: String

    func run() throws {
        let options = options.joined(with: fleet)
        let result: FleetInterface.TestResult = try options.call(
            FleetInterface.Method.testDestination, FleetInterface.TestRequest(name: name), within: Self.patience)
        if options.json {
            try Output.writeJSON(result)
        } else if result.problem == nil {
            Output.write("\(name) has accepted the location")
        }
        if let problem = result.problem {
            throw Failure(
                code: ExitCodes.failed,
                message: options.json ? nil : "\(name) has not accepted the location: \(problem)")
        }
    }
}
