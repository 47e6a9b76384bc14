package import Authorization
package import LocationModel
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
