import LocationInterface
public import LocationModel
import Varlink

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

extension GeocodingError {
    /// What a failure of the connection, or an error that every interface has, means for a place.
    init(_ error: LocationError, at path: String) {
        switch error {
        case .daemonNotRunning(_, let reason), .unauthorized(_, let reason):
            self = .serviceNotReachable(path: path, reason: reason)
        case .disconnected: self = .disconnected
        case .cancelled: self = .cancelled
        case .invalidParameter(let name, let reason): self = .invalidParameter(name, reason: reason)
        case .refused(let error, let reason): self = .refused(error: error, reason: reason)
        case .protocolViolation(let what): self = .protocolViolation(what)
        // Errors of the location service alone.
        default: self = .protocolViolation("\(error)")
        }
    }
}

extension Reply {
    /// What a reply of `org.locationd.places` says.
    ///
    /// - Throws: what is no answer of that interface.
    func geocodingResult() throws(LocationError) -> Result<[Placemark], GeocodingError> {
        switch error {
        case PlacesInterface.Failure.noResult: return .failure(.noResult)
        case PlacesInterface.Failure.cancelled: return .failure(.cancelled)
        case PlacesInterface.Failure.partialResult:
            return .failure(.partialResult(try details(PlacemarksReply.self).placemarks))
        case PlacesInterface.Failure.network:
            return .failure(.network(reason: try details(PlacesFailure.Network.self).reason))
        case PlacesInterface.Failure.busy:
            return .failure(.busy(limit: try details(PlacesFailure.Busy.self).limit))
        default:
            let placemarks = try answer(as: PlacemarksReply.self).placemarks
            return placemarks.isEmpty ? .failure(.noResult) : .success(placemarks)
        }
    }

    private func details<Value: Decodable>(_ type: Value.Type) throws(LocationError) -> Value {
        do { return try parameters(as: type) } catch { throw .protocolViolation(explain(error)) }
    }
}
