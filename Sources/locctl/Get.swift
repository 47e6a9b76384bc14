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

    func run() throws {
        let connection = try options.connect()
        let parameters = GetLocationParameters(
            maximumAge: maximumAge, timeout: timeout, requiredAccuracy: accuracy, passive: passive ? true : nil)
        do throws(LocationError) {
            let reply = try connection.call(
                LocationInterface.Method.getLocation, parameters, as: LocationReply.self)
            try show(reply.location)
        } catch {
            switch error {
            case .timedOut(let best?), .unavailable(_, let best?):
                Output.write("the best so far: \(Text.line(best))", to: STDERR_FILENO)
            default: break
            }
            throw error
        }
    }

    private func show(_ location: Aged<Location>) throws(LocationError) {
        guard options.json else {
            return Output.write(Text.line(location.value) + "  age \(Text.duration(location.age))")
        }
        do { try Output.writeJSON(location) } catch { throw .protocolViolation("a number that is not finite") }
    }
}
