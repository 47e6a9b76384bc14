@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit

/// The service's status for the caller, and the last known location. Reading it starts no receiver.
struct CallerStatus {
    var status: ServiceStatus
    var location: Aged<Location>?
    /// True if the caller is authorized but gets no location now, as without a session if authorized when in use.
    private(set) var isSuspended = false

    init(status: ServiceStatus, location: Aged<Location>?) {
        (self.status, self.location) = (status, location)
    }

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
