package import Varlink

/// `org.locationd.web`: its description and the names of its methods and errors.
package enum WebInterface {
    package static let name = "org.locationd.web"
    package static let description = InterfaceDescription(
        name: name, text: String(decoding: PackageResources.org_locationd_web_varlink, as: UTF8.self))

    /// The sockets, if nothing else is configured: the administrators' first.
    package static let socketPaths = ["/run/locationd/web-control.sock", "/run/locationd/web.sock"]

    package enum Method {
        package static let createLink = "\(name).CreateLink"
    }

    package enum Failure {
        package static let noProxy = "\(name).NoProxy"
    }

    /// The parameters of `CreateLink`.
    package struct LinkRequest: Codable, Sendable, Hashable {
        /// The daemon's token with which the pages administer the service.
        package var token: String?
        /// The user whose browser may open the link; `nil` for the caller.
        package var uid: UInt32?
        /// Whether the link is for the pages behind a proxy.
        package var proxy: Bool?

        package init(token: String? = nil, uid: UInt32? = nil, proxy: Bool? = nil) {
            (self.token, self.uid, self.proxy) = (token, uid, proxy)
        }
    }

    /// The reply of `CreateLink`.
    package struct Link: Codable, Sendable, Hashable {
        package var url: String
        package init(url: String) { self.url = url }
    }
}
