public import LocationModel

/// Why there is no answer about a place; each description tells the next step.
public enum GeocodingError: Error, Sendable, Hashable {
    /// Nothing listens at the socket's path, or nothing answers there; the words say which.
    case serviceNotReachable(path: String, reason: String)
    /// Nothing is known of the place.
    case noResult
    /// This much is known, and the rest could not be had.
    case partialResult([Placemark])
    /// The network, or who answers there, failed; the reason says how.
    case network(reason: String)
    /// So many calls wait at the service already.
    case busy(limit: Int)
    /// The geocoder has not answered the request before.
    case requestInProgress
    /// The request, or the task that waits for it, was cancelled.
    case cancelled
    /// The service ended the connection before it answered.
    case disconnected
    /// A parameter is not accepted.
    case invalidParameter(String, reason: String)
    /// The service answered an error of another kind.
    case refused(error: String, reason: String?)
    /// What came is no answer to what was asked.
    case protocolViolation(String)
}

extension GeocodingError: CustomStringConvertible {
    /// What happened and what to do, in one line.
    public var description: String {
        switch self {
        case .serviceNotReachable(let path, let reason):
            "locationd-places cannot be reached at \(path) (\(reason)); install it (`apt install locationd-places`), "
                + "start it (`systemctl start locationd-places.socket`), or name its socket in LOCATIOND_PLACES_SOCKET"
        case .noResult: "no place is known there or by that name"
        case .partialResult: "only a part of the answer could be had; ask again later for the rest"
        case .network(let reason): "the places could not be asked for: \(reason)"
        case .busy(let limit): "too many calls wait at locationd-places (the limit is \(limit)); ask again later"
        case .requestInProgress:
            "this geocoder still answers another request; wait for that, cancel it, or use a geocoder for each"
        case .cancelled: "the request was cancelled"
        case .disconnected:
            "locationd-places ended the connection without an answer; ask again, and if that does not help, "
                + "`journalctl -u locationd-places` may tell why"
        case .invalidParameter(let name, let reason): "\(name) is not accepted: \(reason)"
        case .refused(let error, let reason): "locationd-places refused: " + (reason ?? error)
        case .protocolViolation(let what):
            "locationd-places answered something unexpected: \(what); are the versions the same?"
        }
    }
}
