@_spi(Programs) public import LocationModel
public import Varlink

/// `org.locationd.fleet`: its description, the names of its methods and errors, and what they take and give.
@_spi(Programs) public enum FleetInterface {
    @_spi(Programs) public static let name = "org.locationd.fleet"
    @_spi(Programs) public static let description = InterfaceDescription(
        name: name, text: String(decoding: PackageResources.org_locationd_fleet_varlink, as: UTF8.self))
    /// The service's socket, if nothing else is configured.
    @_spi(Programs) public static let socketPath = "/run/locationd/fleet-control.sock"

    /// Who is sent the location, and what became of it.
    @_spi(Programs) public struct Destination: Codable, Sendable, Hashable {
        @_spi(Programs) public var name: String
        @_spi(Programs) public var url: String
        /// Reports that it does not have yet.
        @_spi(Programs) public var waiting: Int
        /// Reports that were deleted before it had them; `nil` if that is not known.
        @_spi(Programs) public var dropped: Int?
        @_spi(Programs) public var lastDelivery: UTCTime?
        /// Why it did not accept the last report.
        @_spi(Programs) public var problem: String?
        /// Whether nothing is sent until the configuration or the credential changes.
        @_spi(Programs) public var stopped: Bool

        @_spi(Programs) public init(name: String, url: String, waiting: Int, problem: String?, stopped: Bool = false) {
            (self.name, self.url, self.waiting) = (name, url, waiting)
            (self.problem, self.stopped) = (problem, stopped)
        }
    }

    /// The reply of `GetDestinations`.
    @_spi(Programs) public struct Destinations: Codable, Sendable, Hashable {
        @_spi(Programs) public var destinations: [Destination]
        @_spi(Programs) public init(destinations: [Destination]) { self.destinations = destinations }
    }

    /// The parameters of `TestDestination`.
    @_spi(Programs) public struct TestRequest: Codable, Sendable, Hashable {
        @_spi(Programs) public var name: String
        @_spi(Programs) public init(name: String) { self.name = name }
    }

    /// The reply of `TestDestination`.
    @_spi(Programs) public struct TestResult: Codable, Sendable, Hashable {
        /// Why the location was not accepted; `nil` if it was.
        @_spi(Programs) public var problem: String?
        @_spi(Programs) public init(problem: String?) { self.problem = problem }
    }

    /// The parameters of `NoLocation`.
    @_spi(Programs) public struct Reason: Codable, Sendable {
        @_spi(Programs) public var reason: String
        @_spi(Programs) public init(reason: String) { self.reason = reason }
    }
}
