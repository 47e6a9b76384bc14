public import Varlink

/// `org.locationd.history`: its description and the names of its methods and errors.
@_spi(Programs) public enum HistoryInterface {
    @_spi(Programs) public static let name = "org.locationd.history"
    @_spi(Programs) public static let description = InterfaceDescription(
        name: name, text: String(decoding: PackageResources.org_locationd_history_varlink, as: UTF8.self))
    /// The service's socket, if nothing else is configured.
    @_spi(Programs) public static let socketPath = "/run/locationd-history/history.sock"

    /// The parameters of `NotAuthorized` and `FileUnusable`.
    @_spi(Programs) public struct Reason: Codable, Sendable {
        @_spi(Programs) public var reason: String
        @_spi(Programs) public init(reason: String) { self.reason = reason }
    }

    /// The parameters of `NoSuchTrip`.
    @_spi(Programs) public struct Number: Codable, Sendable {
        @_spi(Programs) public var number: Int64
        @_spi(Programs) public init(number: Int64) { self.number = number }
    }
}
