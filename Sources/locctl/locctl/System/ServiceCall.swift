@_spi(Programs) import LocationKit
@_spi(Programs) import SystemSupport
import Varlink

/// A call of a service beside the daemon, at its socket for administrators.
enum ServiceCall {
    /// - Parameter seconds: what the answer may take.
    /// - Throws: a `LocationError`, or that no descriptor is left.
    static func answer<Answer: Decodable>(
        _ method: String, _ parameters: some Encodable, at path: String, within seconds: Double
    ) throws -> Answer {
        try Interruption.withWaker { waker in
            try VarlinkConnection(path: path, waker: waker, patience: seconds)
                .call(method, parameters, as: Answer.self)
        }
    }
}

extension Failure {
    /// What went wrong with a service at its socket for administrators, and what to do.
    ///
    /// - Parameter what: for whom its answers are.
    init(_ error: LocationError, of service: String, what: String) {
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
                message: "not authorized: \(what); an administrator can: `\(AdministratorCommand.text(socket: nil))`")
        default: self.init(error, of: service)
        }
    }

    /// What went wrong with a service that was reached.
    init(_ error: LocationError, of service: String) {
        switch error {
        case .refused(let name, _) where name.hasSuffix(".Busy"):
            self.init(code: ExitCodes.failed, message: "\(service) has too many calls; try again later")
        case .refused(let name, _) where name.hasSuffix(".Cancelled"): fallthrough
        case .disconnected:
            self.init(code: ExitCodes.daemonNotReachable, message: "\(service) was stopped meanwhile; try again")
        case .refused(let name, let reason):
            self.init(code: ExitCodes.failed, message: "\(service): \(reason ?? name)")
        default: self.init(code: error.exitCode, message: "\(error)")
        }
    }
}
