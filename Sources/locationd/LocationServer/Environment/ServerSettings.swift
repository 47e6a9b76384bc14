package import Authorization
package import CoreMetrics
@_spi(Programs) package import LocationModel
import ServiceServer

/// The settings of the server.
package struct ServerSettings: Sendable {
    /// The daemon's version, for introspection and statistics.
    package var version: String
    package var hub = HubSettings()
    package var policy: AccessPolicy
    /// The number of connections that the descriptors suffice for; no client is exempt from it.
    package var clientCapacity = Int.max
    /// The system calls that identify a client.
    package var peerCalls: any PeerCalls = KernelPeerCalls()
    /// Whether the kernel reports units, so that rules and decisions about them can apply.
    package var kernelReportsUnits = true
    /// The least seconds between two summaries.
    package var summaryInterval = 5.0
    /// Seconds that a call waits for the groups of the user on whose behalf it is: less than a bridge waits for its
    /// answer.
    package var lookUpTimeout = 3.0

    package var limits: ServiceLimits {
        get { hub.limits }
        set { hub.limits = newValue }
    }

    /// The limit of connections in all; root and the daemon's own user are exempt. 64 descriptors are always reserved
    /// for administrators.
    package var clientLimit: Int { min(limits.clients, max(1, clientCapacity - 64)) }

    /// The longest request of a client that was refused authorization.
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

    /// Takes over everything except what is fixed at the start: the ids of the daemon and its group, and the kernel's
    /// features.
    package mutating func reload(_ new: ServerSettings) {
        var next = new
        next.version = version
        next.policy = policy
        next.policy.rules = new.policy.rules
        next.policy.ceilings = new.policy.ceilings
        next.peerCalls = peerCalls
        next.kernelReportsUnits = kernelReportsUnits
        next.summaryInterval = summaryInterval
        next.lookUpTimeout = lookUpTimeout
        self = next
    }
}

/// Measurements that are recorded as they happen.
package struct ServerInstruments: Sendable {
    /// The names of the metrics.
    package static let eventLoopLatency = "locationd_event_loop_latency_seconds"
    package static let timeToFirstFix = "locationd_time_to_first_fix_seconds"

    /// From waking the event loop to reading the mailbox.
    let eventLoopLatency: Timer
    /// From the start of the demand, or the replacement of sources, to the first fix.
    let timeToFirstFix: Timer

    package init(_ factory: any MetricsFactory = NOOPMetricsHandler.instance) {
        eventLoopLatency = Timer(label: Self.eventLoopLatency, factory: factory)
        timeToFirstFix = Timer(label: Self.timeToFirstFix, factory: factory)
    }
}
