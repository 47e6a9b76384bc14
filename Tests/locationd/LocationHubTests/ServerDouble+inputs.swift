import LocationHub
@_spi(Programs) import LocationModel
import Testing

extension Permission {
    static let granted = Permission(.authorizedAlways)
    static let denied = Permission(.denied)
}

extension ServerDouble {
    /// Opens a watch; what an earlier one at the same place was sent is forgotten.
    mutating func watch(
        _ permission: Permission = .granted, _ change: (inout WatchRequest) -> Void = { _ in }
    ) -> WatchID {
        var request = WatchRequest()
        change(&request)
        return watch(request, permission)
    }

    mutating func watch(_ request: WatchRequest, _ permission: Permission) -> WatchID {
        var bound: WatchID?
        let actions = hub.addWatch(request, permission: permission, at: now) { bound = $0 }
        guard let id = bound else { preconditionFailure("a watch that begins has a number") }
        forget(id)
        perform(actions)
        return id
    }

    mutating func end(_ id: WatchID) {
        perform(hub.endWatch(id, at: now))
    }

    mutating func permit(_ permission: Permission, _ id: WatchID) {
        perform(hub.setPermission(permission, of: [id], at: now))
    }

    mutating func request(
        _ number: Int, _ permission: Permission = .granted, _ change: (inout LocationRequest) -> Void = { _ in }
    ) {
        var request = LocationRequest()
        change(&request)
        perform(hub.addRequest(RequestID(number: number), request, permission: permission, at: now))
    }

    mutating func cancel(_ number: Int) {
        perform(hub.cancelRequest(RequestID(number: number), at: now))
    }

    mutating func setEnabled(_ enabled: Bool) {
        perform(hub.setEnabled(enabled, at: now))
    }

    mutating func tell(_ event: SourceEvent, rank: Int = 0) {
        perform(hub.applyEvent(event, from: rank, at: now))
    }

    /// A fix arrives now.
    mutating func fix(
        _ device: String? = "/dev/gps0", rank: Int = 0, metresEast: Double = 0,
        _ change: (inout Location) -> Void = { _ in }
    ) {
        var location = Location.fix(at: now, device: device, metresEast: metresEast)
        change(&location)
        tell(.fix(location), rank: rank)
    }

    /// A fix at once and one more at each of so many equal intervals.
    mutating func fixes(_ count: Int, every interval: Double = 1, _ device: String? = "/dev/gps0", rank: Int = 0) {
        for index in 0..<count {
            if index > 0 { pass(interval) }
            fix(device, rank: rank)
        }
    }

    mutating func loseFixes(_ count: Int) {
        perform(hub.loseFixes(count))
    }

    /// Time passes with a timer that wakes the hub at each of its deadlines.
    mutating func pass(_ seconds: Double) {
        let end = now.advanced(bySeconds: seconds)
        while let deadline = hub.nextDeadline, deadline <= end {
            now = max(now, deadline)
            perform(hub.advance(to: now))
            guard let next = hub.nextDeadline else { break }
            guard next > now else {
                Issue.record("the deadline has passed when everything due is done")
                return
            }
        }
        now = end
    }

    /// The machine sleeps: every timer fires late, once.
    mutating func sleep(_ seconds: Double) {
        now = now.advanced(bySeconds: seconds)
        guard let deadline = hub.nextDeadline, deadline <= now else { return }
        perform(hub.advance(to: now))
        if let next = hub.nextDeadline { #expect(next > now) }
    }
}
