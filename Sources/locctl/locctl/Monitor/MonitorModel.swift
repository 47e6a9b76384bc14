@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import Synchronization
@_spi(Programs) import SystemSupport

/// The newest value of everything in the live view, with the time of its arrival.
struct MonitorModel: Sendable {
    /// The state of the connection to the daemon.
    enum Link: Sendable, Equatable {
        case connecting
        case connected
        case lost(reason: String, since: BootInstant)
    }

    /// The list of clients.
    enum Clients: Sendable, Equatable {
        case unknown
        case known([ClientReport])
        /// The caller is not authorized, for this reason.
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
    /// Locations that the daemon dropped because this monitor read too slowly.
    private(set) var dropped = 0
    /// Seconds between the last two fixes.
    private var interval: Double?

    /// Seconds after which a value counts as outdated, even if the daemon has not said so.
    private static let timeout = 5.0

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
        // Without authorization the last values are not shown any more.
        (fix, heading, sky) = (nil, nil, nil)
    }

    /// The daemon cannot be reached. In a row of failures the time of the first one is kept.
    mutating func connectionLost(_ reason: String, at now: BootInstant) {
        if case .lost(_, let since) = link {
            link = .lost(reason: reason, since: since)
        } else {
            link = .lost(reason: reason, since: now)
        }
        clients = .unknown
    }

    /// Whether the fix is current. The daemon reports a lost fix; if it reports nothing at all, the fix is outdated
    /// after a few seconds.
    func isCurrent(at now: BootInstant) -> Bool {
        guard link == .connected, let status, status.source == .tracking, status.enabled, let fix else { return false }
        // With reduced accuracy there is a new location every ten minutes.
        return status.accuracy == .reduced || fix.age(at: now) < max(Self.timeout, 3 * (interval ?? 0))
    }

    func isSkyCurrent(at now: BootInstant) -> Bool {
        guard link == .connected, let sky else { return false }
        return sky.age(at: now) < 2 * Self.timeout
    }
}

/// The state that the threads of the live view share.
///
/// Ownership: the feed's thread changes the model and the signals' thread the requests; the drawing thread reads both.
/// Each is a value under a lock that is held for a copy only. Nothing accumulates while the terminal does not accept
/// output.
final class MonitorSharedState: Sendable {
    /// Requests of the terminal or of another process.
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
