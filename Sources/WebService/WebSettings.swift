/// What the service is set to.
package struct WebSettings: Sendable, Hashable {
    /// Where map images come from, which the browser loads from there.
    package struct Tiles: Sendable, Hashable, Codable {
        package var url: String
        package var attribution: String

        package init(url: String, attribution: String) { (self.url, self.attribution) = (url, attribution) }
    }

    /// The daemon's socket.
    package var daemon = "/run/locationd/locationd.sock"
    package var history = "/run/locationd-history/history.sock"
    package var places = "/run/locationd/places.sock"
    /// Behind it, each connection is a list of the fleet's devices; it is there if an administrator has enabled it.
    package var fleet = "/run/locationd/fleet-devices.sock"
    /// Further hosts by which the pages may be opened, as of a proxy.
    package var hosts: [String] = []
    package var tiles: Tiles?
    /// The folder of map images in the form of MBTiles.
    package var mapFolder = "/var/lib/locationd-web/maps"
    /// Connections, in all and of one user.
    package var connections = 1024
    package var connectionsPerUser = 512

    package init() {}
}
