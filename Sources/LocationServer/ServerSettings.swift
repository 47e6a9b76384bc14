package import Authorization
package import LocationHub
import VarlinkServer

/// What the server needs to know to serve.
package struct ServerSettings: Sendable {
    /// Of the daemon, for introspection and statistics.
    package var version: String
    package var hub = HubSettings()
    package var policy: AccessPolicy
    /// Connections in all; uid 0 and the daemon's own are spared.
    package var clientLimit = 4096
    /// Connections in all that there are descriptors for; nobody is spared.
    package var clientCapacity = Int.max
    /// Connections of one user; likewise spared.
    package var clientLimitPerUser = 128
    /// Calls a second of one user; likewise spared.
    package var requestRate = 100.0
    /// Requests for authorization of one user that wait for a decision; likewise spared.
    package var authorizationLimitPerUser = 16
    /// How the kernel is asked who a client is.
    package var peerCalls: any PeerCalls = KernelPeerCalls()
    /// Whether the kernel tells units, so that rules and decisions about them hold.
    package var unitsAreTold = true
    /// Bytes a request may have.
    package var requestLimit = 65_536
    /// The same for those who have been refused.
    package var requestLimitRefused: Int { min(requestLimit, 16_384) }
    /// Seconds after which a client that reads nothing is let go.
    package var stalledTimeout = 30.0

    /// Seconds between two summaries, at least.
    package var summaryInterval = 5.0

    var limits: UserLimits.Numbers {
        UserLimits.Numbers(
            connections: clientLimit, connectionsPerUser: clientLimitPerUser, callsPerSecond: requestRate)
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
