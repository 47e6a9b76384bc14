package import Authorization
package import CoreMetrics
package import LocationModel
import SystemClock
import VarlinkServer

/// What the server needs to know to serve.
package struct ServerSettings: Sendable {
    /// Of the daemon, for introspection and statistics.
    package var version: String
    package var hub = HubSettings()
    package var policy: AccessPolicy
    /// Connections that there are descriptors for; nobody is exempt.
    package var clientCapacity = Int.max
    /// How the kernel is asked who a client is.
    package var peerCalls: any PeerCalls = KernelPeerCalls()
    /// Whether the kernel tells units, so that rules and decisions about them hold.
    package var unitsAreTold = true
    /// Seconds between two summaries, at least.
    package var summaryInterval = 5.0

    package var limits: ServiceLimits {
        get { hub.limits }
        set { hub.limits = newValue }
    }

    /// Connections in all; root and the daemon's own user are exempt. However many others there are, 64 descriptors are left
    /// for an administrator.
    package var clientLimit: Int { min(limits.clients, max(1, clientCapacity - 64)) }

    /// The longest request of clients that were refused authorization.
    var requestLimitRefused: Int { min(limits.requestSize, 16_384) }

    var userLimits: UserLimits.Numbers {
        UserLimits.Numbers(
            connections: clientLimit, connectionsPerUser: limits.clientsPerUser,
            callsPerSecond: limits.requestsPerSecond)
    }

    package init(version: String, policy: AccessPolicy) {
        self.version = version
        self.policy = policy
    }

    /// Takes over all but what is fixed at the start: who the daemon and its group are, and what the kernel tells.
    package mutating func reload(_ new: ServerSettings) {
        var next = new
        next.version = version
        next.policy = policy
        next.policy.rules = new.policy.rules
        next.peerCalls = peerCalls
        next.unitsAreTold = unitsAreTold
        next.summaryInterval = summaryInterval
        self = next
    }
}

/// What the service takes the time from, so that it can be driven without waiting.
package struct ServerClock: Sendable {
    /// The clock that ages and time-outs are computed on.
    package let now: @Sendable () -> BootInstant
    /// The wall clock, for the history.
    package let utc: @Sendable () -> UTCTime

    package init(now: @escaping @Sendable () -> BootInstant, utc: @escaping @Sendable () -> UTCTime) {
        self.now = now
        self.utc = utc
    }

    package static let machine = ServerClock(now: { MachineClock.now }, utc: { MachineClock.utc })
}

/// What the server measures as it happens.
package struct ServerInstruments: Sendable {
    /// The names of the metrics.
    package static let eventLoopLatency = "locationd_event_loop_latency_seconds"
    package static let timeToFirstFix = "locationd_time_to_first_fix_seconds"

    /// From the mailbox's bell until the event loop hears it.
    let eventLoopLatency: Timer
    /// From the demand, or new sources, to the first fix.
    let timeToFirstFix: Timer

    package init(_ factory: any MetricsFactory = NOOPMetricsHandler.instance) {
        eventLoopLatency = Timer(label: Self.eventLoopLatency, factory: factory)
        timeToFirstFix = Timer(label: Self.timeToFirstFix, factory: factory)
    }
}
