public import Varlink

/// `org.locationd.provider`: its description, the name of its method, and what that takes and gives.
@_spi(Programs) public enum ProviderInterface {
    @_spi(Programs) public static let name = "org.locationd.provider"
    @_spi(Programs) public static let description = InterfaceDescription(
        name: name, text: String(decoding: PackageResources.org_locationd_provider_varlink, as: UTF8.self))

    /// The parameters of `Locate`.
    @_spi(Programs) public struct LocateRequest: Codable, Sendable, Hashable {
        /// Metres.
        @_spi(Programs) public var desiredAccuracy: Double?
        /// Seconds.
        @_spi(Programs) public var interval: Double?

        @_spi(Programs) public init(desiredAccuracy: Double? = nil, interval: Double? = nil) {
            (self.desiredAccuracy, self.interval) = (desiredAccuracy, interval)
        }
    }

    /// A reply of `Locate`.
    @_spi(Programs) public struct LocateReply: Codable, Sendable, Hashable {
        @_spi(Programs) public var position: Position?
        /// Why there is no position.
        @_spi(Programs) public var reason: String?

        @_spi(Programs) public init(position: Position? = nil, reason: String? = nil) {
            (self.position, self.reason) = (position, reason)
        }
    }

    /// A position as a provider states it.
    @_spi(Programs) public struct Position: Codable, Sendable, Hashable {
        /// Degrees.
        @_spi(Programs) public var latitude: Double
        @_spi(Programs) public var longitude: Double
        /// Metres.
        @_spi(Programs) public var horizontalAccuracy: Double
        @_spi(Programs) public var altitude: Double?
        @_spi(Programs) public var verticalAccuracy: Double?
        /// Metres per second.
        @_spi(Programs) public var speed: Double?
        /// Degrees.
        @_spi(Programs) public var course: Double?
        /// UTC in the format of RFC 3339.
        @_spi(Programs) public var timestamp: String?
        /// Seconds.
        @_spi(Programs) public var age: Double?

        @_spi(Programs) public init(latitude: Double, longitude: Double, horizontalAccuracy: Double, age: Double? = nil)
        {
            (self.latitude, self.longitude, self.horizontalAccuracy) = (latitude, longitude, horizontalAccuracy)
            self.age = age
        }
    }
}
