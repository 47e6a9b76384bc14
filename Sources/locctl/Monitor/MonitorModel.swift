import LocationInterface
import LocationKit
import Machine
import Synchronization

/// What the monitor knows: the newest of everything, and when it was seen.
struct MonitorModel: Sendable {
    /// The way to the daemon.
    enum Link: Sendable, Equatable {
        case connecting
        case connected
        case lost(reason: String, since: BootInstant)
    }

    /// Who is connected.
    enum Clients: Sendable, Equatable {
        case unknown
        case known([ClientReport])
        /// The caller may not know, for this reason.
        case closed(reason: String)
    }

    struct Seen<Value: Sendable>: Sendable {
        var value: Value
        var at: BootInstant

        /// Seconds, never negative.
        func age(at now: BootInstant) -> Double { max(0, now.seconds(since: at)) }
    }

    private(set) var link = Link.connecting
    private(set) var status: ServiceStatus?
    private(set) var fix: Seen<Location>?
    private(set) var heading: Seen<Heading>?
    private(set) var sky: Seen<[Satellite]>?
    var clients = Clients.unknown
    /// Locations that this monitor was too slow for.
    private(set) var dropped = 0
    /// Seconds between the last two fixes.
    private var interval: Double?

    /// Seconds after which what was seen is no longer believed, even where nobody has said that it is over.
    private static let patience = 5.0

    mutating func apply(_ reply: WatchReply, at now: BootInstant) {
        link = .connected
        if let status = reply.status { applyStatus(status) }
        if let location = reply.location {
            let at = now.advanced(bySeconds: -max(0, location.age))
            if let fix { interval = max(0, at.seconds(since: fix.at)) }
            fix = Seen(value: location.value, at: at)
        }
        if let heading = reply.heading { self.heading = Seen(value: heading.value, at: now) }
        if let satellites = reply.satellites { sky = Seen(value: satellites, at: now) }
        if let new = reply.dropped { dropped = dropped.addingReportingOverflow(new).partialValue }
    }

    private mutating func applyStatus(_ status: ServiceStatus) {
        self.status = status
        guard !status.mayKnow else { return }
        // Who may know no longer is not shown what was known.
        (fix, heading, sky) = (nil, nil, nil)
    }

    /// The daemon cannot be reached; of several failures in a row the first tells since when.
    mutating func connectionLost(_ reason: String, at now: BootInstant) {
        if case .lost(_, let since) = link {
            link = .lost(reason: reason, since: since)
        } else {
            link = .lost(reason: reason, since: now)
        }
        clients = .unknown
    }

    /// Whether the fix tells where the machine is now. The daemon says when a fix is lost; one that says nothing at all
    /// is not believed for long.
    func isCurrent(at now: BootInstant) -> Bool {
        guard link == .connected, let status, status.source == .tracking, status.enabled, let fix else { return false }
        // Of a coarse grid there is a new one in ten minutes.
        return status.accuracy == .reduced || fix.age(at: now) < max(Self.patience, 3 * (interval ?? 0))
    }

    func isSkyCurrent(at now: BootInstant) -> Bool {
        guard link == .connected, let sky else { return false }
        return sky.age(at: now) < 2 * Self.patience
    }
}

/// Where the monitor's threads leave what they learn for the one that draws.
///
/// Ownership: the state is changed by the feed's thread and the requests by the signals' thread; the drawing thread takes
/// both. A lock over values, because each holds it for no longer than a copy takes; nothing piles up while the terminal
/// does not take what is written.
final class MonitorSharedState: Sendable {
    /// What the terminal or another process asks of the monitor.
    struct Requests: OptionSet {
        let rawValue: Int
        static let end = Requests(rawValue: 1)
        static let redraw = Requests(rawValue: 2)
        static let suspend = Requests(rawValue: 4)
    }

    let waker: Waker
    private let state = Mutex(MonitorModel())
    private let requests = Mutex<Requests>([])

    init(waker: Waker) {
        self.waker = waker
    }

    func change(_ body: (inout sending MonitorModel) -> Void) {
        state.withLock { body(&$0) }
        waker.wake()
    }

    func request(_ request: Requests) {
        requests.withLock { _ = $0.insert(request) }
        waker.wake()
    }

    var current: MonitorModel { state.withLock { $0 } }

    func consumeRequests() -> Requests {
        requests.withLock { requests in
            defer { requests = [] }
            return requests
        }
    }
}
