@_spi(Programs) package import LocationModel
package import ProviderSource
package import ServiceKit

extension Configuration {
    /// Another program that knows positions.
    package struct Provider: Sendable, Equatable {
        /// The path of its socket.
        package var socket: String
        /// The user who has to own the socket, by name or number; `nil` for root and the daemon's own user alone.
        package var user: String?
        package var method = ProviderEndpoint.Method.network

        package init(socket: String) { self.socket = socket }
    }
}

extension Configuration.Provider: SourceKind {
    package static let word = "provider"
    package static let statesPosition = false
    package static let draft = Self(socket: "")

    package static let settings: [Setting<Self>] = [
        .init("socket", \.socket, .path, isRequired: true, "The Unix socket of the program."),
        .init(
            "user", \.user, Rule.user.orAbsent(""),
            "The user who has to own the socket; without it root and the daemon's own user alone."),
        .init("method", \.method, .choice, "By what means the program knows positions."),
    ]

    package func makeSource(named name: String, with parts: SourceParts) -> (any LocationSource)? {
        var endpoint = ProviderEndpoint(path: socket)
        (endpoint.user, endpoint.method) = (user, method)
        return ProviderSource(name: name, endpoint: endpoint, heartbeats: parts.heartbeats)
    }
}
