import ArgumentParser
import Glibc
import LocationInterface
import LocationKit

/// One location.
struct Get: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Asks for one location and tells it.",
        discussion: "Starts the receiver if need be. Exits with 5 if there is none in time.")

    @OptionGroup var options: ConnectionOptions

    @Option(name: .customLong("max-age"), help: "Accept one so many seconds old; 0 asks for a new fix.")
    var maximumAge = 0.0

    @Option(help: "Wait at most so many seconds.")
    var timeout = 30.0

    @Option(help: "Wait for one at least so good, in metres.")
    var accuracy: Double?

    @Flag(help: "Start no receiver.")
    var passive = false

    private struct Report: Encodable {
        let location: Aged<Location>
        /// Told only where it is reduced.
        let accuracy: AccuracyAuthorization?

        private enum CodingKeys: String, CodingKey { case accuracyAuthorization }

        func encode(to encoder: any Encoder) throws {
            try location.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encodeIfPresent(accuracy, forKey: .accuracyAuthorization)
        }
    }

    func validate() throws {
        try Finite.require(maximumAge, "--max-age")
        try Finite.require(timeout, "--timeout")
        try Finite.require(accuracy, "--accuracy")
    }

    func run() throws {
        let connection = try options.connect(wait: timeout)
        let request = LocationRequest(
            maximumAge: maximumAge, timeout: timeout, requiredAccuracy: accuracy, passive: passive)
        do throws(LocationError) {
            // A location alone does not tell that it is reduced. Asked first, so that nothing holds up a location.
            let status = try connection.call(LocationInterface.Method.getStatus, as: StatusReply.self).status
            let reply = try connection.call(
                LocationInterface.Method.getLocation, request, as: LocationReply.self)
            try show(reply.location, isReduced: status.accuracy == .reduced)
        } catch {
            switch error {
            case .timedOut(let best?), .unavailable(_, let best?):
                Output.write("the best so far: \(Text.line(best))", to: STDERR_FILENO)
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
