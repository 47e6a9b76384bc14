@_spi(Programs) public import LocationModel
public import Varlink

/// `org.locationd.nearby`: its description, the names of its methods and errors, and what they take and give.
@_spi(Programs) public enum NearbyInterface {
    @_spi(Programs) public static let name = "org.locationd.nearby"
    @_spi(Programs) public static let description = InterfaceDescription(
        name: name, text: String(decoding: PackageResources.org_locationd_nearby_varlink, as: UTF8.self))
    /// The service's socket for administrators, if nothing else is configured.
    @_spi(Programs) public static let socketPath = "/run/locationd-nearby/control.sock"

    /// The parameters of `NothingReceived` and `FileUnusable`.
    @_spi(Programs) public struct Reason: Codable, Sendable {
        @_spi(Programs) public var reason: String
        @_spi(Programs) public init(reason: String) { self.reason = reason }
    }

    /// What is remembered, and what is received now.
    @_spi(Programs) public struct State: Codable, Sendable, Hashable {
        @_spi(Programs) public var accessPoints: Int
        @_spi(Programs) public var file: String
        @_spi(Programs) public var firstDay: UTCTime?
        @_spi(Programs) public var lastDay: UTCTime?
        @_spi(Programs) public var received: Int
        @_spi(Programs) public var known: Int
        /// Metres, of the position that is told now.
        @_spi(Programs) public var horizontalAccuracy: Double?
        /// Why no position is told.
        @_spi(Programs) public var reason: String?
        /// What was asked of a service on the network; `nil` if none is configured.
        @_spi(Programs) public var online: Online?

        @_spi(Programs) public init(accessPoints: Int, file: String, received: Int, known: Int) {
            (self.accessPoints, self.file) = (accessPoints, file)
            (self.received, self.known) = (received, known)
        }
    }

    /// What was asked of a service on the network since the start of the program.
    @_spi(Programs) public struct Online: Codable, Sendable, Hashable {
        @_spi(Programs) public var url: String
        @_spi(Programs) public var requests: Int
        @_spi(Programs) public var answers: Int
        @_spi(Programs) public var lastRequest: UTCTime?
        /// Why the last request has no answer.
        @_spi(Programs) public var reason: String?

        @_spi(Programs) public init(url: String, requests: Int, answers: Int) {
            (self.url, self.requests, self.answers) = (url, requests, answers)
        }
    }

    @_spi(Programs) public struct StateReply: Codable, Sendable, Hashable {
        @_spi(Programs) public var state: State
        @_spi(Programs) public init(state: State) { self.state = state }
    }

    /// The parameters of `Learn`.
    @_spi(Programs) public struct LearnRequest: Codable, Sendable, Hashable {
        /// Degrees.
        @_spi(Programs) public var latitude: Double
        @_spi(Programs) public var longitude: Double
        /// Metres.
        @_spi(Programs) public var horizontalAccuracy: Double?

        @_spi(Programs) public init(at coordinate: Coordinate, accuracy: Double?) {
            (latitude, longitude) = (coordinate.latitude, coordinate.longitude)
            horizontalAccuracy = accuracy
        }
    }

    /// The reply of `Learn`.
    @_spi(Programs) public struct Learned: Codable, Sendable, Hashable {
        @_spi(Programs) public var received: Int
        @_spi(Programs) public var added: Int
        @_spi(Programs) public var moved: Int

        @_spi(Programs) public init(received: Int, added: Int, moved: Int) {
            (self.received, self.added, self.moved) = (received, added, moved)
        }
    }

    /// The parameters of `Forget`.
    @_spi(Programs) public struct ForgetRequest: Codable, Sendable, Hashable {
        /// Degrees; with the distance, metres, or all absent.
        @_spi(Programs) public var latitude: Double?
        @_spi(Programs) public var longitude: Double?
        @_spi(Programs) public var distance: Double?
        @_spi(Programs) public var since: UTCTime?
        @_spi(Programs) public var until: UTCTime?

        @_spi(Programs) public init(since: UTCTime? = nil, until: UTCTime? = nil) {
            (self.since, self.until) = (since, until)
        }
    }

    /// The reply of `Forget`.
    @_spi(Programs) public struct Forgotten: Codable, Sendable, Hashable {
        @_spi(Programs) public var forgotten: Int
        @_spi(Programs) public init(forgotten: Int) { self.forgotten = forgotten }
    }
}
