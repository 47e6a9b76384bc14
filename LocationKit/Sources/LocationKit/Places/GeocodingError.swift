@_spi(Programs) import LocationInterface
@_spi(Programs) public import LocationModel
import Varlink

/// Why a geocoding request failed; each description says what to do next.
public enum GeocodingError: Error, Sendable, Hashable {
    /// Nothing listens at the socket's path, or nothing answers; the reason says which.
    case serviceNotReachable(path: String, reason: String)
    /// No place is known there, or by that name.
    case noResult
    /// The answer is incomplete; these placemarks are known.
    case partialResult([Placemark])
    /// The network, or the provider, failed; the reason says how.
    case network(reason: String)
    /// Too many calls are waiting at the service.
    case busy(limit: Int)
    /// The geocoder has not answered its previous request yet.
    case requestInProgress
    /// The request, or the task that waits for it, was cancelled.
    case cancelled
    /// The service ended the connection before it answered.
    case disconnected
    /// A parameter is not accepted.
    case invalidParameter(String, reason: String)
    /// The service returned an error of another kind.
    case refused(error: String, reason: String?)
    /// The reply does not conform to the interface.
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
        case .partialResult: "only a part of the result is available; try again later for the rest"
        case .network(let reason): "the request for places failed: \(reason)"
        case .busy(let limit): "too many calls are pending at locationd-places (the limit is \(limit)); try again later"
        case .requestInProgress:
            "this geocoder still answers another request; wait for that, cancel it, or use a geocoder for each"
        case .cancelled: "the request was cancelled"
        case .disconnected:
            "locationd-places closed the connection without an answer; try again, and if that does not help, "
                + "`journalctl -u locationd-places` may have the cause"
        case .invalidParameter(let name, let reason): "\(name) is not accepted: \(reason)"
        case .refused(let error, let reason): "locationd-places refused: " + (reason ?? error)
        case .protocolViolation(let what):
            "locationd-places sent an unexpected reply: \(what); are the versions the same?"
        }
    }
}

extension GeocodingError {
    /// The geocoding error for a failure of the connection, or for an error that all interfaces share.
    init(_ error: LocationError, at path: String) {
        switch error {
        case .daemonNotRunning(_, let reason), .unauthorized(_, let reason):
            self = .serviceNotReachable(path: path, reason: reason)
        case .disconnected: self = .disconnected
        case .cancelled: self = .cancelled
        case .invalidParameter(let name, let reason): self = .invalidParameter(name, reason: reason)
        case .refused(let error, let reason): self = .refused(error: error, reason: reason)
        case .protocolViolation(let what): self = .protocolViolation(what)
        // Errors that only the location service returns.
        default: self = .protocolViolation("\(error)")
        }
    }
}

extension Reply {
    /// The result in a reply of `org.locationd.places`.
    ///
    /// - Throws: if the reply does not conform to that interface.
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
