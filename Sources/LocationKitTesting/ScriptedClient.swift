import LocationKit
import LocationModel

/// What a ``ScriptedTransport`` knows of one client.
struct ScriptedClient {
    private(set) weak var client: (any TransportClient)?
    /// The same client while it wishes anything.
    private(set) var recipient: (any TransportClient)?
    private(set) var interest = Interest()
    var wakeTime: BootInstant?
    /// Counts the moments given; a wake-up that is due for an earlier one is void.
    var wakeNumber = 0
    /// True from `connected` to `disconnected`.
    private var isConnected = false
    private var status: ServiceStatus?
    /// The number of the newest location told, whatever was interests since.
    private var newest = Int64.min
    private var anchor: LocationFilter.Anchor?

    init(_ client: any TransportClient) {
        self.client = client
    }

    mutating func setInterest(_ interest: Interest, from client: any TransportClient) {
        if interest.locations != self.interest.locations { anchor = nil }
        self.interest = interest
        recipient = interest.isEmpty ? nil : client
        guard interest.isEmpty else { return }
        isConnected = false
        status = nil
    }

    /// Notes that the event is told.
    ///
    /// - Returns: false if it is not to be told, as things are now.
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
            guard isConnected, new.isNews(after: status) else { return false }
            status = new
            if new.source != .tracking || !new.enabled { anchor = nil }
            return true
        case .location(let location, _):
            guard isConnected, world.mayDeliver, location.sequence > newest, let filter = interest.locations,
                filter.admits(location, since: anchor)
            else { return false }
            newest = location.sequence
            anchor = LocationFilter.Anchor(location)
            return true
        case .heading:
            return isConnected && world.mayDeliver && world.accuracy == .full && interest.headings
        }
    }
}

extension ServiceStatus {
    /// That a fix has grown older is no news.
    fileprivate func isNews(after old: ServiceStatus?) -> Bool {
        guard var old else { return true }
        old.fixAge = fixAge
        return self != old
    }
}
