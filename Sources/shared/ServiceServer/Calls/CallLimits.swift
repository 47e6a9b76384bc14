/// The limits of a service's clients.
package struct CallLimits: Sendable, Equatable {
    /// The maximum of simultaneous connections.
    package var clients = 256
    /// The maximum of simultaneous connections of one user.
    package var clientsPerUser = 64
    /// Units a second that the calls of one user may cost: one for each KiB begun of a request.
    package var requestsPerSecond = 50.0
    /// The most calls that may wait for their answers.
    package var calls = 64
    /// The most calls of one user that may wait for their answers.
    package var callsPerUser = 16
    /// Seconds after which a client that does not read is disconnected.
    package var stalledTimeout = 30.0
    /// Seconds after which a client without calls is disconnected.
    package var idleTimeout = 300.0

    package init() {}
}
