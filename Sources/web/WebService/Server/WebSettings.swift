/// What the service is set to.
/// It has a property for each key of the configuration.
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
    /// The socket at which places are learned by their access points; it is there if `locationd-nearby` is installed.
    package var nearby = "/run/locationd-nearby/link.sock"
    /// Further hosts by which the pages may be opened, as of a proxy.
    package var hosts: [String] = []
    package var tiles: Tiles?
    /// The folder of map images in the form of MBTiles.
    package var mapFolder = "/var/lib/locationd-web/maps"
    /// Connections in all, of one user, and of those without a session.
    package var connections = 1024
    package var connectionsPerUser = 64
    package var connectionsWithoutSession = 256
    /// Pages with live updates of one user at a time.
    package var pagesPerUser = 16
    /// Units a second that the requests of one user may cost, and twice as many at once: one, and one for each KiB of a
    /// body. A page that is opened makes about a hundred requests, with the images of its map.
    package var requestsPerSecond = 200.0
    /// Calls that are being answered, in all and of one user.
    package var calls = 256
    package var callsPerUser = 8
    /// Tracks that are being read, one of each user.
    package var tracks = 4
    /// Bytes of bodies and of answers that are not sent yet, in all and of one user: far below `MemoryMax=` of the
    /// service's unit.
    package var bytes = 64 << 20
    package var bytesPerUser = 8 << 20
    /// Seconds after which it is looked again whether open pages still have their sessions and administrators their
    /// rights, and a comment keeps their connections open where a proxy closes silent ones.
    package var reviewInterval = 15.0
    /// Seconds in which a link may be opened.
    package var linkLifetime = 60.0
    /// Seconds that the daemon's answer about regions may take.
    package var regionsTime = 10.0
    /// Seconds that a request may take to arrive, and that a connection may be without one.
    package var (arrivalTime, idleTime) = (10.0, 60.0)

    package init() {}
}
