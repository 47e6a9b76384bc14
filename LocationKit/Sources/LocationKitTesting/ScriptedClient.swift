@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel

/// A client of a ``ScriptedTransport``.
struct ScriptedClient {
    private(set) weak var client: (any TransportClient)?
    /// The same client, retained while it has an interest.
    private(set) var recipient: (any TransportClient)?
    private(set) var interest = Interest()
    var wakeTime: BootInstant?
    /// Counts the scheduled wake-ups; a wake-up that is due for an earlier one is dropped.
    var wakeNumber = 0
    /// True from `connected` to `disconnected`.
    private var isConnected = false
    private var status: ServiceStatus?
    /// The number of the newest delivered location, over all interests.
    private var newest = Int64.min
    private var anchor: LocationFilter.Anchor?
    private var lastHeading: Heading?

    init(_ client: any TransportClient) {
        self.client = client
    }

    mutating func setInterest(_ interest: Interest, from client: any TransportClient) {
        if interest.locations != self.interest.locations { anchor = nil }
        if interest.headings == nil { lastHeading = nil }
        self.interest = interest
        recipient = interest.isEmpty ? nil : client
        guard interest.isEmpty else { return }
        isConnected = false
        status = nil
    }

    /// Records the event as delivered.
    ///
    /// - Returns: false if the event must not be delivered in the present state.
    mutating func accepts(_ event: TransportEvent, in world: ScriptedWorld) -> Bool {
        switch event {
        case .connected:
            guard !isConnected, world.failure == nil else { return false }
            isConnected = true
            return true
        case .disconnected:
            isConnected = false
            status = nil
            anchor = nil
            return true
        case .status(let new):
            guard isConnected, new.isNew(after: status) else { return false }
            status = new
            if new.source != .tracking || !new.enabled || new.paused == true { anchor = nil }
            return true
        case .location(let location, _):
            guard isConnected, world.mayDeliver, !world.isPaused, location.sequence > newest,
                let watch = interest.locations, watch.filter.admits(location, since: anchor)
            else { return false }
            newest = location.sequence
            anchor = LocationFilter.Anchor(location)
            return true
        case .heading(let heading):
            guard isConnected, world.mayDeliver, world.accuracy == .full, let watch = interest.headings else {
                return false
            }
            guard let degrees = watch.headingFilter else { return true }
            guard HeadingFilter(degrees: degrees).admits(heading, since: lastHeading) else { return false }
            lastHeading = heading
            return true
        }
    }
}

extension ServiceStatus {
    /// A status that differs in nothing but the age of the fix is not delivered.
    fileprivate func isNew(after old: ServiceStatus?) -> Bool {
        guard var old else { return true }
        old.fixAge = fixAge
        return self != old
    }
}
