import LocationInterface
import LocationModel
import Varlink

extension LocationError {
    private struct Parameter: Decodable { let parameter: String?, reason: String? }
    private struct Reason: Decodable { let reason: String? }

    /// The error that a reply tells.
    init(name: String, reply: Reply) {
        func parameters<Value: Decodable>(_ type: Value.Type) -> Value? { try? reply.parameters(as: type) }
        switch name {
        case LocationInterface.Failure.notAuthorized:
            let failure = parameters(LocationFailure.NotAuthorized.self)
            self = .unauthorized(
                failure.flatMap { AuthorizationStatus(rawValue: $0.authorization) } ?? .unknown,
                reason: failure?.reason ?? "the daemon gives no reason")
        case LocationInterface.Failure.disabled, AdminInterface.Failure.disabled: self = .disabled
        case LocationInterface.Failure.locationUnavailable:
            let failure = parameters(LocationFailure.Unavailable.self)
            self = .unavailable(reason: failure?.reason ?? "the daemon gives no reason", best: failure?.best?.value)
        case LocationInterface.Failure.timedOut:
            self = .timedOut(best: parameters(LocationFailure.TimedOut.self)?.best?.value)
        case LocationInterface.Failure.tooManyClients:
            self = .tooManyClients(limit: parameters(LocationFailure.TooMany.self)?.limit ?? 0)
        case LocationInterface.Failure.tooManyRequests:
            self = .tooManyRequests(limit: parameters(LocationFailure.TooMany.self)?.limit ?? 0)
        case LocationInterface.Failure.tooManyAuthorizations:
            self = .tooManyAuthorizations(limit: parameters(LocationFailure.TooMany.self)?.limit ?? 0)
        case LocationInterface.Failure.tooManyRegions:
            self = .tooManyRegions(limit: parameters(LocationFailure.TooMany.self)?.limit ?? 0)
        case LocationInterface.Failure.noSuchMonitor:
            self = .noSuchMonitor(name: parameters(MonitorName.self)?.name ?? "")
        case LocationInterface.Failure.monitorInUse:
            self = .monitorInUse(name: parameters(MonitorName.self)?.name ?? "")
        case "org.varlink.service.InvalidParameter":
            let failure = parameters(Parameter.self)
            self = .invalidParameter(
                failure?.parameter ?? "a parameter", reason: failure?.reason ?? "the daemon gives no reason")
        case "org.varlink.service.PermissionDenied":
            self = .unauthorized(.denied, reason: "only administrators may do that")
        default:
            self = .refused(error: name, reason: parameters(Reason.self)?.reason)
        }
    }
}

extension LocationError {
    /// The daemon let the time pass in which it has to answer.
    static func silent(at path: String) -> LocationError {
        .daemonNotRunning(path: path, reason: "it does not answer")
    }
}
