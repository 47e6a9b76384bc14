import LocationHub
import LocationModel
import Testing

/// What one watch should see, kept apart from the hub: every location it may and wants to see is delivered, held,
/// counted as dropped, or forgotten with its permission.
struct WatchLedger {
    let request: WatchRequest
    var permission: Permission {
        didSet { if permission.mayReceive != oldValue.mayReceive { anchor = nil } }
    }
    private(set) var wanted = 0
    private(set) var delivered = 0
    private(set) var dropped = 0
    private(set) var forgotten = 0
    private(set) var reported = 0
    private(set) var isHolding = false
    private(set) var status: ServiceStatus?
    private(set) var isFinished = false
    private var lastSequence: Int64 = 0
    private var anchor: LocationFilter.Anchor?
    private var expected: [Int64] = []

    init(_ request: WatchRequest, _ permission: Permission) {
        self.request = request
        self.permission = permission
    }

    /// Its client was told that there is no location, or will be.
    mutating func forgetAnchor() { anchor = nil }

    /// A fix got a number.
    mutating func saw(_ location: Location, isFollowed: Bool, isBehind: Bool) {
        guard request.location, permission.mayReceive, isFollowed || request.everySource,
            request.filter.admits(location, since: anchor)
        else { return }
        anchor = .init(location)
        wanted += 1
        if isBehind {
            if isHolding { dropped += 1 }
            isHolding = true
        }
        expected.append(location.sequence)
    }

    mutating func lostBeforeTheHub(_ count: Int) {
        guard request.location, permission.mayReceive else { return }
        wanted += count
        dropped += count
    }

    /// The permission is gone, or the service is switched off.
    mutating func forgetHeld(countsAsDropped: Bool) {
        guard isHolding else { return }
        isHolding = false
        if countsAsDropped { dropped += 1 } else { forgotten += 1 }
    }

    mutating func check(_ update: WatchUpdate, isOpening: Bool, fromBacklog: Bool, isEnabled: Bool) {
        #expect(!isFinished, "nothing follows the last reply")
        reported += update.dropped
        if let status = update.status {
            self.status = status
            if !fromBacklog { #expect(status.authorization == permission.authorization) }
        }
        if update.location != nil || update.heading != nil || update.satellites != nil {
            #expect(isEnabled && permission.mayReceive)
        }
        #expect(update.heading == nil || request.heading)
        #expect(update.satellites == nil || request.satellites)
        if update.isFinal { isFinished = true }
        guard let location = update.location else { return }
        if isOpening {
            wanted += 1
            anchor = .init(location)
        } else {
            #expect(location.sequence > lastSequence, "numbers rise strictly")
            #expect(expected.contains(location.sequence), "only what passes the filter is sent")
        }
        #expect(request.filter.acceptsAccuracy(of: location))
        expected.removeAll { $0 <= location.sequence }
        lastSequence = location.sequence
        delivered += 1
        if fromBacklog { isHolding = false }
        if let maximum = request.maximumUpdates { #expect(update.isFinal == (delivered == maximum)) }
    }

    /// Nothing that was wanted is unaccounted for.
    func balance(hubDropped: Int, isBehind: Bool) {
        #expect(wanted == delivered + dropped + forgotten + (isHolding ? 1 : 0))
        #expect(hubDropped == dropped)
        #expect(reported <= dropped)
        if !isBehind { #expect(!isHolding) }
    }
}
