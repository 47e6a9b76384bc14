public import Varlink

/// `org.locationd.web`: its description and the names of its methods and errors.
@_spi(Programs) public enum WebInterface {
    @_spi(Programs) public static let name = "org.locationd.web"
    @_spi(Programs) public static let description = InterfaceDescription(
        name: name, text: String(decoding: PackageResources.org_locationd_web_varlink, as: UTF8.self))

    /// The sockets, if nothing else is configured: the administrators' first.
    @_spi(Programs) public static let socketPaths = ["/run/locationd/web-control.sock", "/run/locationd/web.sock"]

    /// The parameters of `CreateLink`.
    @_spi(Programs) public struct LinkRequest: Codable, Sendable, Hashable {
        /// The daemon's token with which the pages administer the service.
        @_spi(Programs) public var token: String?
        /// The user whose browser may open the link; `nil` for the caller.
        @_spi(Programs) public var uid: UInt32?
        /// Whether the link is for the pages behind a proxy.
        @_spi(Programs) public var proxy: Bool?

        @_spi(Programs) public init(token: String? = nil, uid: UInt32? = nil, proxy: Bool? = nil) {
            (self.token, self.uid, self.proxy) = (token, uid, proxy)
        }
    }

    /// The reply of `CreateLink`.
    @_spi(Programs) public struct Link: Codable, Sendable, Hashable {
        @_spi(Programs) public var url: String
        @_spi(Programs) public init(url: String) { self.url = url }
    }
}
