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

    /// The reply of `CreateLink`.
    package struct Link: Codable, Sendable, Hashable {
        package var url: String
        package init(url: String) { self.url = url }
    }
}
