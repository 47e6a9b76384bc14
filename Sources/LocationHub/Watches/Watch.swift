import LocationModel

/// A watch, by the place it has in the hub; places are used again after a watch ended.
package struct WatchID: Sendable, Hashable {
    package let slot: Int
    package init(slot: Int) { self.slot = slot }
}

/// One subscription: what it asked for, what it may know, what it has yet to see.
struct Watch {
    let request: WatchRequest
    private(set) var permission: Permission
    /// What it sees of each fix.
    private(set) var view: View {
        didSet { seesAll = view == .full }
    }
    /// The same as the full view, which is asked for with each fix.
    private(set) var seesAll: Bool
    /// True while the client has not yet taken what it was sent; news then goes to the backlog.
    var isBehind = false
    /// True while news waits for something else than its client; it goes to the backlog, too.
    var isHeldBack = false
    /// Of what waits for the disk, this version and those before are there.
    var keptRevision = 0
    var backlog = Backlog()
    /// Locations lost since the last reply that said so.
    private(set) var unreported = 0
    private(set) var totalDropped = 0
    private var remaining: Int?
    // The same as in the request, whose accessors are calls into another module: these are read for each fix.
    private let filter: LocationFilter
    private let receivesLocations: Bool
    private var anchor: LocationFilter.Anchor?

    init(request: WatchRequest, permission: Permission) {
        self.request = request
        self.permission = permission
        view = permission.view
        seesAll = view == .full
        remaining = request.maximumUpdates
        filter = request.filter
        receivesLocations = request.location
    }

    /// One that must not see every fix is told neither headings nor satellites.
    var makesDemand: Bool { request.makesDemand && permission.mayReceive && (request.location || seesAll) }

    /// One that must not see every fix sees those of the followed source, whatever it asks for.
    var needsEverySource: Bool { makesDemand && request.location && request.everySource && seesAll }

    enum Verdict {
        /// Filtered, not allowed, or held in the backlog.
        case nothing
        /// Send the bytes that everybody gets.
        case ordinary
        /// Send this, encoded for this watch alone.
        case own(WatchUpdate)
    }

    /// What it may know changed; without permission nothing that was held back is ever sent, and what another view
    /// has shown is not measured against.
    mutating func permit(_ permission: Permission) {
        self.permission = permission
        guard view != permission.view else { return }
        view = permission.view
        backlog.forgetPositions()
        forgetAnchor()
    }

    /// Its client is told that there is no location: the next one is news, however near it is.
    mutating func forgetAnchor() {
        anchor = nil
    }

    /// True if it wants to know of fixes of this kind; what it is shown of them, its view says.
    func wants(isFollowed: Bool) -> Bool {
        receivesLocations && (isFollowed || request.everySource && seesAll)
    }

    /// Decides about what its view shows of a new fix.
    mutating func consider(_ location: Location) -> Verdict {
        guard filter.admits(location, since: anchor) else { return .nothing }
        if filter.needsAnchor { anchor = .init(location) }
        if isBehind {
            countLost(backlog.hold(location: location))
            return .nothing
        }
        if remaining == nil, unreported == 0 { return .ordinary }
        return .own(finished(WatchUpdate(location: location)))
    }

    /// The reply that opens the watch: the status and, if there is a fresh one and it fits, the location.
    mutating func opening(status: ServiceStatus, fresh: Location?) -> WatchUpdate {
        guard let fresh, request.location, filter.admits(fresh, since: nil)
        else { return WatchUpdate(status: status) }
        anchor = .init(fresh)
        return finished(WatchUpdate(status: status, location: fresh))
    }

    /// The reply that ends the watch from this side; what is held back counts as lost.
    mutating func closing(status: ServiceStatus) -> WatchUpdate {
        countLost(backlog.forgetPositions())
        var update = finished(WatchUpdate(status: status))
        update.isFinal = true
        return update
    }

    /// The next thing held back, or `nil` when the watch has caught up.
    mutating func takeHeld() -> WatchUpdate? {
        let revision = isHeldBack ? backlog.items.first?.revision ?? 0 : 0
        guard revision <= keptRevision, var update = backlog.takeFirst() else {
            isBehind = false
            return nil
        }
        update.revision = nil
        return finished(update)
    }

    /// Notes that the client will not see so many locations it should have seen.
    mutating func countLost(_ count: Int) {
        unreported += count
        totalDropped += count
    }

    /// Notes fixes lost before they came here, to a watch that may see any. Nobody knows what its filter would have done.
    mutating func countOverflow(_ count: Int) {
        guard request.location, seesAll else { return }
        countLost(count)
    }

    /// Adds what every reply encoded for one watch says: what was lost, and whether it is the last.
    private mutating func finished(_ update: WatchUpdate) -> WatchUpdate {
        var update = update
        update.dropped = unreported
        unreported = 0
        if update.location != nil, let left = remaining {
            remaining = left - 1
            update.isFinal = left <= 1
        }
        return update
    }
}

extension WatchRequest {
    /// True if the watch needs receivers to run.
    var makesDemand: Bool { !passive && (location || heading || satellites) }

    /// A monitor is a watch that receives status, and in place of fixes what they decide.
    static var monitor: Self {
        var request = Self()
        request.location = false
        return request
    }
}
