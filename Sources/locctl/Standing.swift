import LocationInterface
import LocationKit

/// What the daemon tells the caller at once: the state, and the location it remembers. Nothing is started.
struct Standing {
    var status: ServiceStatus
    var location: Aged<Location>?
    /// True where an authorization gives nothing now, as when in use while the user is not there.
    private(set) var isSuspended = false

    init(over connection: VarlinkConnection) throws(LocationError) {
        status = try connection.call(LocationInterface.Method.getStatus, as: StatusReply.self).status
        guard status.mayKnow, status.enabled else { return }
        let anything = LocationRequest(maximumAge: 1e9, timeout: 0, passive: true)
        do throws(LocationError) {
            location = try connection.call(
                LocationInterface.Method.getLocation, anything, as: LocationReply.self
            ).location
        } catch {
            switch error {
            case .unavailable, .timedOut, .disabled: break
            case .unauthorized(let authorization, let reason):
                status.authorization = authorization
                status.reason = reason
                isSuspended = status.mayKnow
            default: throw error
            }
        }
    }

    var isReduced: Bool { status.accuracy == .reduced }
}
