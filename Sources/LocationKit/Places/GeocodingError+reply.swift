import LocationInterface
import LocationModel
import Varlink

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
