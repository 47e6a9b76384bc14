import ArgumentParser
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import Varlink

/// The socket of locationd-nearby for administrators, and the format of the answer.
struct NearbyOptions: ParsableArguments {
    /// Seconds that an answer may take: a radio may have to scan first, and the disk may be slow.
    private static let patience = 40.0

    @Option(help: ArgumentHelp("The socket of locationd-nearby.", valueName: "path"), completion: .file())
    var nearbySocket: String?

    @Flag(help: "Answer in JSON.")
    var json = false

    /// With those of the command above, whose an option is that both have.
    func joined(with above: NearbyOptions) -> NearbyOptions {
        var joined = self
        joined.nearbySocket = above.nearbySocket ?? nearbySocket
        joined.json = above.json || json
        return joined
    }

    func call<Answer: Decodable>(
        _ method: String, _ parameters: some Encodable = NoParameters(), as type: Answer.Type
    ) throws -> Answer {
        do {
            return try ServiceCall.answer(
                method, parameters, at: nearbySocket ?? NearbyInterface.socketPath, within: Self.patience)
        } catch LocationError.refused(NearbyInterface.Failure.nothingReceived, let reason) {
            throw Failure(
                code: ExitCodes.noLocation,
                message: "nothing can be learned here: \(reason ?? "no access point is received")")
        } catch let error as LocationError {
            throw Failure(error, of: "locationd-nearby", what: "places are for administrators to see and change")
        }
    }
}
