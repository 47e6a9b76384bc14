public import LocationModel

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
