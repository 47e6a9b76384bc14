package import Authorization
package import LocationHub

/// What the server needs to know to serve.
package struct ServerSettings: Sendable {
    /// Of the daemon, for introspection and statistics.
    package var version: String
    package var hub = HubSettings()
    package var policy: AccessPolicy
    /// Connections in all.
    package var clientLimit = 4096
    /// Connections of one user; uid 0 and the daemon's own are spared.
    package var clientLimitPerUser = 128
    /// Bytes a request may have.
    package var requestLimit = 65_536
    /// Seconds after which a client that reads nothing is let go.
    package var stalledTimeout = 30.0

    package init(version: String, policy: AccessPolicy) {
        self.version = version
        self.policy = policy
    }
}
