@_spi(Programs) import LocationInterface
@_spi(Programs) public import LocationModel
import Varlink

/// Why a request to the service failed; each description says what to do next.
public enum LocationError: Error, Sendable, Hashable {
    /// Nothing listens at the socket's path, or nothing answers; the reason says which.
    case daemonNotRunning(path: String, reason: String)
    /// This user may not know the position; the reason says who can change that.
    case unauthorized(AuthorizationStatus, reason: String)
    /// The administrator has switched the service off.
    case disabled
    /// No receiver can be reached; `best` is a location that did not meet the request.
    case unavailable(reason: String, best: Location?)
    /// No location met the request in time; `best` is the best one received.
    case timedOut(best: Location?)
    /// Too many connections are open.
    case tooManyClients(limit: Int)
    /// This user exceeds the limit of calls per second.
    case tooManyRequests(limit: Int)
    /// Too many requests for authorization are pending.
    case tooManyAuthorizations(limit: Int)
    /// This user has too many regions or persisted monitors.
    case tooManyRegions(limit: Int)
    /// Nothing is persisted under this name, or not any more.
    case noSuchMonitor(name: String)
    /// Another program of this user uses the monitor of this name.
    case monitorInUse(name: String)
    /// The daemon ended the connection.
    case disconnected
    /// The task that made the request was cancelled.
    case cancelled
    /// A parameter was refused.
    case invalidParameter(String, reason: String)
    /// The daemon returned an error of another kind.
    case refused(error: String, reason: String?)
    /// The reply does not conform to the interface.
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
        case .timedOut(nil): "no location came in time; `locctl diagnose` finds the cause"
        case .timedOut:
            "no location that is new and accurate enough came in time; allow a longer time, a greater age or a lesser "
                + "accuracy"
        case .tooManyClients(let limit):
            "too many connections are open (the limit is \(limit)); close some, or raise the limit in locationd.toml"
        case .tooManyRequests(let limit):
            "too many calls (at most \(limit) a second for one user); send fewer, or use a watch instead"
        case .tooManyAuthorizations(let limit):
            "\(limit) requests for authorization are pending already; cancel one, or have an administrator decide "
                + "(`sudo locctl authorizations` lists them)"
        case .tooManyRegions(let limit):
            "\(limit) regions are monitored for this user already; remove some (`locctl regions` lists the persisted ones), or "
                + "have an administrator raise the limit in locationd.toml"
        case .noSuchMonitor(let name): "there is no monitor named \(name); `locctl regions` lists the named monitors"
        case .monitorInUse(let name):
            "another program uses the monitor \(name); end it, or use another name"
        case .disconnected:
            "locationd closed the connection; it may have been stopped or restarted, or cannot identify this process"
                + " (a user namespace hides that)"
        case .cancelled: "the request was cancelled"
        case .invalidParameter(let name, let reason): "\(name) is not accepted: \(reason)"
        case .refused(let error, let reason): "locationd refused: " + (reason ?? error)
        case .protocolViolation(let what):
            "locationd sent an unexpected reply: \(what); are the versions the same?"
        }
    }
}

extension LocationError {
    /// Why no location can come in this state; `nil` if one may.
    init?(_ status: ServiceStatus) {
        if let refusal = LocationError(refusalIn: status) {
            self = refusal
        } else if status.source == .unavailable {
            self = .unavailable(reason: status.reason ?? "no receiver can be reached", best: nil)
        } else {
            return nil
        }
    }

    /// Why the service would refuse a request; `nil` if it would not.
    init?(refusalIn status: ServiceStatus) {
        switch status.authorization {
        case .denied, .restricted, .notDetermined:
            self = .unauthorized(status.authorization, reason: status.reason ?? "nobody allowed it")
        // A status that a later version has added may permit it.
        case .authorizedAlways, .authorizedWhenInUse, .unknown:
            guard !status.enabled else { return nil }
            self = .disabled
        }
    }

    /// Why no location comes at present, including a receiver that is searching; `nil` if one comes, or is about to.
    init?(absenceIn status: ServiceStatus) {
        if let error = LocationError(status) {
            self = error
            return
        }
        // A pause is no failure.
        if status.paused == true { return nil }
        switch status.source {
        case .searching: self = .unavailable(reason: status.reason ?? "the receiver has no fix yet", best: nil)
        case .lost: self = .unavailable(reason: status.reason ?? "the receiver has lost its fix", best: nil)
        // In these two states a reason means that the program is authorized but has to wait, such as for a login
        // session.
        case .stopped, .tracking:
            guard let reason = status.reason else { return nil }
            self = .unavailable(reason: reason, best: nil)
        case .starting, .unavailable, .unknown: return nil
        }
    }

    /// The error of a request whose time-out expires in this state.
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

    /// The error that a reply contains.
    init(name: String, reply: Reply) {
        func parameters<Value: Decodable>(_ type: Value.Type) -> Value? { try? reply.parameters(as: type) }
        switch name {
        case LocationInterface.Failure.notAuthorized:
            let failure = parameters(LocationFailure.NotAuthorized.self)
            self = .unauthorized(
                failure.flatMap { AuthorizationStatus(rawValue: $0.authorization) } ?? .unknown,
                reason: failure?.reason ?? "the daemon gives no reason")
        case LocationInterface.Failure.disabled: self = .disabled
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
    /// The daemon did not reply in time.
    static func silent(at path: String) -> LocationError {
        .daemonNotRunning(path: path, reason: "it does not answer")
    }
}
