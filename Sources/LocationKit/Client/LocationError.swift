import LocationInterface
public import LocationModel
import Varlink

/// Why the service did not give what was asked; each description tells the next step.
public enum LocationError: Error, Sendable, Hashable {
    /// Nothing listens at the socket's path; the system's words say why.
    case daemonNotRunning(path: String, reason: String)
    /// This user may not know the position; the reason says who can change that.
    case unauthorized(AuthorizationStatus, reason: String)
    /// The administrator has switched the service off.
    case disabled
    /// The receivers cannot be reached; `best` is a location that did not fit the request.
    case unavailable(reason: String, best: Location?)
    /// Nothing that fits came in time; `best` is the best that did come.
    case timedOut(best: Location?)
    /// Too many connections are open.
    case tooManyClients(limit: Int)
    /// This user makes more calls a second than one may.
    case tooManyRequests(limit: Int)
    /// So many authorizations wait for a decision already.
    case tooManyAuthorizations(limit: Int)
    /// This user has so many regions, or kept monitors, already.
    case tooManyRegions(limit: Int)
    /// Nothing is kept under this name, or not any more.
    case noSuchMonitor(name: String)
    /// Another program of this user has the monitor of this name.
    case monitorInUse(name: String)
    /// The daemon ended the connection.
    case disconnected
    /// The asking task was cancelled.
    case cancelled
    /// A parameter was refused.
    case invalidParameter(String, reason: String)
    /// The daemon answered an error of another kind.
    case refused(error: String, reason: String?)
    /// What came is no answer to what was asked.
    case protocolViolation(String)
}

extension LocationError: CustomStringConvertible {
    /// What happened and what to do, in one line.
    public var description: String {
        switch self {
        case .daemonNotRunning(let path, let reason):
            "locationd cannot be reached at \(path) (\(reason)); start it, for instance by `systemctl start locationd`, "
                + "or name its socket in LOCATIOND_SOCKET"
        case .unauthorized(let status, let reason): "not authorized (\(status.rawValue)): \(reason)"
        case .disabled: "the location service is switched off; an administrator can run `sudo locctl start`"
        case .unavailable(let reason, _): "no location is available: \(reason)"
        case .timedOut(nil): "no location came in time; `locctl diagnose` tells where the chain breaks"
        case .timedOut: "no location good enough came in time; allow a longer time or a lesser accuracy"
        case .tooManyClients(let limit):
            "too many connections are open (the limit is \(limit)); close some, or raise the limit in locationd.toml"
        case .tooManyRequests(let limit):
            "too many calls (at most \(limit) a second for one user); ask less often, or watch instead of asking"
        case .tooManyAuthorizations(let limit):
            "\(limit) requests for authorization wait already; end one of them, or have an administrator decide "
                + "(`sudo locctl authorizations` lists them)"
        case .tooManyRegions(let limit):
            "\(limit) regions are monitored for this user already; remove some (`locctl regions` lists kept ones), or "
                + "have an administrator raise the limit in locationd.toml"
        case .noSuchMonitor(let name): "nothing is kept under the name \(name); `locctl regions` lists what is"
        case .monitorInUse(let name):
            "another program has the monitor \(name) now; end that, or take another name"
        case .disconnected:
            "locationd ended the connection; it may have been stopped or restarted, or cannot see whose process this is"
                + " (a user namespace hides that)"
        case .cancelled: "the request was cancelled"
        case .invalidParameter(let name, let reason): "\(name) is not accepted: \(reason)"
        case .refused(let error, let reason): "locationd refused: " + (reason ?? error)
        case .protocolViolation(let what):
            "locationd answered something unexpected: \(what); are the versions the same?"
        }
    }
}

extension LocationError {
    /// Why nothing can come while the service is in this state; `nil` if something may.
    init?(_ status: ServiceStatus) {
        if let refusal = LocationError(refusalIn: status) {
            self = refusal
        } else if status.source == .unavailable {
            self = .unavailable(reason: status.reason ?? "no receiver can be reached", best: nil)
        } else {
            return nil
        }
    }

    /// Why the service would refuse; `nil` if it would not.
    init?(refusalIn status: ServiceStatus) {
        switch status.authorization {
        case .denied, .restricted, .notDetermined:
            self = .unauthorized(status.authorization, reason: status.reason ?? "nobody allowed it")
        // A status of a later version may allow it.
        case .authorizedAlways, .authorizedWhenInUse, .unknown:
            guard !status.enabled else { return nil }
            self = .disabled
        }
    }

    /// Why nothing comes just now, a receiver that searches included; `nil` if something does or is about to.
    init?(absenceIn status: ServiceStatus) {
        if let error = LocationError(status) {
            self = error
            return
        }
        switch status.source {
        case .searching: self = .unavailable(reason: status.reason ?? "the receiver has no fix yet", best: nil)
        case .lost: self = .unavailable(reason: status.reason ?? "the receiver has lost its fix", best: nil)
        // With a reason these two mean that somebody who may know has to wait, such as for a login session.
        case .stopped, .tracking:
            guard let reason = status.reason else { return nil }
            self = .unavailable(reason: reason, best: nil)
        case .starting, .unavailable, .unknown: return nil
        }
    }

    /// What a request is told whose time is over in this state.
    init(timeOutIn status: ServiceStatus?, best: Location?) {
        switch (status?.source, status?.reason) {
        case (.unavailable, let reason):
            self = .unavailable(reason: reason ?? "no receiver can be reached", best: best)
        case (.stopped, let reason?), (.tracking, let reason?): self = .unavailable(reason: reason, best: best)
        default: self = .timedOut(best: best)
        }
    }
}

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
