@_spi(Programs) public import LocationModel
public import Varlink

/// The parameters of the errors of `org.locationd.location`.
@_spi(Programs) public enum LocationFailure {
    @_spi(Programs) public struct NotAuthorized: Codable, Sendable {
        @_spi(Programs) public var authorization, reason: String
    }
    @_spi(Programs) public struct Unavailable: Codable, Sendable {
        @_spi(Programs) public var reason: String
        @_spi(Programs) public var best: Aged<Location>?
    }
    @_spi(Programs) public struct TimedOut: Codable, Sendable { @_spi(Programs) public var best: Aged<Location>? }
    /// Of `TooManyClients`, `TooManyRequests`, `TooManyAuthorizations` and `TooManyRegions`.
    @_spi(Programs) public struct TooMany: Codable, Sendable { @_spi(Programs) public var limit: Int }
}

extension ErrorReply {
    @_spi(Programs) public static func notAuthorized(_ authorization: AuthorizationStatus, reason: String) -> Self {
        Self(
            LocationInterface.Failure.notAuthorized,
            parameters: LocationFailure.NotAuthorized(authorization: authorization.rawValue, reason: reason))
    }

    @_spi(Programs) public static var disabled: Self { Self(LocationInterface.Failure.disabled) }

    @_spi(Programs) public static func locationUnavailable(reason: String, best: Aged<Location>?) -> Self {
        Self(
            LocationInterface.Failure.locationUnavailable,
            parameters: LocationFailure.Unavailable(reason: reason, best: best))
    }

    @_spi(Programs) public static func timedOut(best: Aged<Location>?) -> Self {
        Self(LocationInterface.Failure.timedOut, parameters: LocationFailure.TimedOut(best: best))
    }

    @_spi(Programs) public static func tooManyClients(limit: Int) -> Self {
        Self(LocationInterface.Failure.tooManyClients, parameters: LocationFailure.TooMany(limit: limit))
    }

    @_spi(Programs) public static func tooManyRequests(limit: Int) -> Self {
        Self(LocationInterface.Failure.tooManyRequests, parameters: LocationFailure.TooMany(limit: limit))
    }

    @_spi(Programs) public static func tooManyRegions(limit: Int) -> Self {
        Self(LocationInterface.Failure.tooManyRegions, parameters: LocationFailure.TooMany(limit: limit))
    }

    @_spi(Programs) public static func noSuchMonitor(_ name: String) -> Self {
        Self(LocationInterface.Failure.noSuchMonitor, parameters: MonitorName(name: name))
    }

    @_spi(Programs) public static func monitorInUse(_ name: String) -> Self {
        Self(LocationInterface.Failure.monitorInUse, parameters: MonitorName(name: name))
    }

    @_spi(Programs) public static func tooManyAuthorizations(limit: Int) -> Self {
        Self(LocationInterface.Failure.tooManyAuthorizations, parameters: LocationFailure.TooMany(limit: limit))
    }

    @_spi(Programs) public static func notPermitted(_ reason: String) -> Self {
        Self(LocationInterface.Failure.notPermitted, parameters: Explanation(reason: reason))
    }

    @_spi(Programs) public static func noSuchRequest(_ number: Int64) -> Self {
        Self(LocationInterface.Failure.noSuchRequest, parameters: RequestNumber(number: number))
    }
}
