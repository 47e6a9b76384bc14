/// Where a gpsd listens, and which of its receivers is wanted.
package struct GPSDEndpoint: Sendable, Hashable, CustomStringConvertible {
    /// Name or address.
    package var host: String
    package var port: UInt16
    /// A device path as gpsd names it; `nil` for every receiver gpsd has.
    package var device: String?

    package init(host: String = "127.0.0.1", port: UInt16 = 2947, device: String? = nil) {
        self.host = host
        self.port = port
        self.device = device
    }

    package var description: String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
