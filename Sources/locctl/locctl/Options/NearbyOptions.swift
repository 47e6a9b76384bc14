import ArgumentParser
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import SystemSupport
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
            return try Interruption.withWaker { waker in
                let path = nearbySocket ?? NearbyInterface.socketPath
                return try VarlinkConnection(path: path, waker: waker, patience: Self.patience)
                    .call(method, parameters, as: type)
            }
        } catch let error as LocationError {
            throw Failure(error)
        }
    }
}

extension Failure {
    /// What went wrong with locationd-nearby, and what to do.
    fileprivate init(_ error: LocationError) {
        let service = "locationd-nearby"
        switch error {
        case .daemonNotRunning(let path, let reason):
            let remedy =
                AdministratorCommand.isSuperuser
                ? "install the package \(service), or `systemctl start \(service)`"
                : "an administrator can: `\(AdministratorCommand.text(socket: nil))`, if \(service) is installed"
            self.init(
                code: ExitCodes.daemonNotReachable,
                message: "\(service) cannot be reached at \(path) (\(reason)); \(remedy)")
        case .unauthorized:
            self.init(
                code: ExitCodes.notAuthorized,
                message: "not authorized: places are for administrators to see and change; an administrator can: "
                    + "`\(AdministratorCommand.text(socket: nil))`")
        case .refused(NearbyInterface.Failure.nothingReceived, let reason):
            self.init(
                code: ExitCodes.noLocation,
                message: "nothing can be learned here: \(reason ?? "no access point is received")")
        case .refused(NearbyInterface.Failure.busy, _):
            self.init(code: ExitCodes.failed, message: "\(service) has too many calls; try again later")
        case .refused(NearbyInterface.Failure.cancelled, _), .disconnected:
            self.init(code: ExitCodes.daemonNotReachable, message: "\(service) was stopped meanwhile; try again")
        case .refused(let name, let reason):
            self.init(code: ExitCodes.failed, message: "\(service): \(reason ?? name)")
        default: self.init(code: error.exitCode, message: "\(error)")
        }
    }
}
