import ServiceKit
import ServiceServer

/// The sockets of the service: those of the flags, or else those that systemd passes.
struct NearbySockets {
    /// For the daemon, to which positions are told.
    let provider: ServiceEndpoint
    /// For administrators; `nil` if they are served nowhere.
    let control: ServiceEndpoint?
    /// For the pages, at which places can be learned; `nil` if systemd passes none.
    let link: ServiceEndpoint?

    /// - Throws: which of systemd's sockets cannot be used, or that there is none to tell positions at.
    init(_ flags: NearbyFlags, _ environment: ServiceEnvironment) throws {
        let inherited = try InheritedSockets(
            names: environment.socketNames(), required: ["provider"], optional: ["control", "link"])
        guard let provider = ServiceEndpoint(flags.socketPath, or: inherited["provider"]?.location) else {
            throw NoSocket(start: "locationd-nearby.socket too")
        }
        self.provider = provider
        control = ServiceEndpoint(flags.controlPath, or: inherited["control"]?.location)
        link = ServiceEndpoint(nil, or: inherited["link"]?.location)
    }

    /// Removes what this program has made.
    func remove() {
        provider.remove()
        control?.remove()
    }
}
