import ArgumentParser
import Glibc
import LocationInterface
import LocationKit

/// `locctl get`: requests one location.
struct GetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Requests one location and prints it.",
        discussion: "Starts the receiver if necessary. Exits with 5 if no location comes in time.")

    @OptionGroup var options: ConnectionOptions

    @Option(name: .customLong("max-age"), help: "Accept a location so many seconds old; 0 requests a new fix.")
    var maximumAge = 0.0

    @Option(help: "Wait at most so many seconds.")
    var timeout = 30.0

    @Option(help: "Wait for a location of at least this accuracy, in metres.")
    var accuracy: Double?

    @Flag(help: "Start no receiver.")
    var passive = false

    private struct Report: Encodable {
        let location: Aged<Location>
        /// Present only if the accuracy is reduced.
        let accuracy: AccuracyAuthorization?

        private enum CodingKeys: String, CodingKey { case accuracyAuthorization }

        func encode(to encoder: any Encoder) throws {
            try location.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encodeIfPresent(accuracy, forKey: .accuracyAuthorization)
        }
    }

    func validate() throws {
        try requireFinite(maximumAge, "--max-age")
        try requireFinite(timeout, "--timeout")
        try requireFinite(accuracy, "--accuracy")
    }

    func run() throws {
        let connection = try options.connect(wait: timeout)
        let request = LocationRequest(
            maximumAge: maximumAge, timeout: timeout, requiredAccuracy: accuracy, passive: passive)
        do throws(LocationError) {
            // A location does not say whether it is reduced. The status is fetched first, so that it does not delay the
            // location.
            let status = try connection.call(LocationInterface.Method.getStatus, as: StatusReply.self).status
            let reply = try connection.call(
                LocationInterface.Method.getLocation, request, as: LocationReply.self)
            try show(reply.location, isReduced: status.accuracy == .reduced)
        } catch {
            switch error {
            case .timedOut(let best?), .unavailable(_, let best?):
                Output.write("the best location received: \(Text.line(best))", to: STDERR_FILENO)
            default: break
            }
            throw error
        }
    }

    private func show(_ location: Aged<Location>, isReduced: Bool) throws(LocationError) {
        guard options.json else {
            return Output.write(
                Text.line(location.value, isReduced: isReduced) + "  age \(Text.duration(location.age))")
        }
        let report = Report(location: location, accuracy: isReduced ? .reduced : nil)
        do { try Output.writeJSON(report) } catch { throw .protocolViolation("a number that is not finite") }
    }
}
