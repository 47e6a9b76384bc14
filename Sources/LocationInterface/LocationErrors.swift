package import LocationModel
package import Varlink

/// The parameters of the errors of `org.locationd.location`.
package enum LocationFailure {
    package struct NotAuthorized: Codable, Sendable { package var authorization, reason: String }
    package struct Unavailable: Codable, Sendable {
        package var reason: String
        package var best: Aged<Location>?
    }
    package struct TimedOut: Codable, Sendable { package var best: Aged<Location>? }
    /// Of `TooManyClients`, `TooManyRequests`, `TooManyAuthorizations` and `TooManyRegions`.
    package struct TooMany: Codable, Sendable { package var limit: Int }
}

extension ErrorReply {
    package static func notAuthorized(_ authorization: AuthorizationStatus, reason: String) -> Self {
        Self(
            LocationInterface.Failure.notAuthorized,
            parameters: LocationFailure.NotAuthorized(authorization: authorization.rawValue, reason: reason))
    }

    package static var disabled: Self { Self(LocationInterface.Failure.disabled) }

    package static func locationUnavailable(reason: String, best: Aged<Location>?) -> Self {
        Self(
            LocationInterface.Failure.locationUnavailable,
            parameters: LocationFailure.Unavailable(reason: reason, best: best))
    }

    package static func timedOut(best: Aged<Location>?) -> Self {
        Self(LocationInterface.Failure.timedOut, parameters: LocationFailure.TimedOut(best: best))
    }

    package static func tooManyClients(limit: Int) -> Self {
        Self(LocationInterface.Failure.tooManyClients, parameters: LocationFailure.TooMany(limit: limit))
    }

    package static func tooManyRequests(limit: Int) -> Self {
        Self(LocationInterface.Failure.tooManyRequests, parameters: LocationFailure.TooMany(limit: limit))
    }

    package static func tooManyRegions(limit: Int) -> Self {
        Self(LocationInterface.Failure.tooManyRegions, parameters: LocationFailure.TooMany(limit: limit))
    }

    package static func noSuchMonitor(_ name: String) -> Self {
        Self(LocationInterface.Failure.noSuchMonitor, parameters: MonitorName(name: name))
    }

    package static func monitorInUse(_ name: String) -> Self {
        Self(LocationInterface.Failure.monitorInUse, parameters: MonitorName(name: name))
    }

    package static func tooManyAuthorizations(limit: Int) -> Self {
        Self(LocationInterface.Failure.tooManyAuthorizations, parameters: LocationFailure.TooMany(limit: limit))
    }
}
