/// Limits on all clients together and on each user. Root and the daemon's own user are exempt from the limits of one
/// user.
@_spi(Programs) public struct ServiceLimits: Sendable, Hashable {
    /// The maximum of simultaneous connections.
    @_spi(Programs) public var clients = 4096
    /// The maximum of simultaneous connections of one user.
    @_spi(Programs) public var clientsPerUser = 128
    /// The most bytes one request may have.
    @_spi(Programs) public var requestSize = 65_536
    /// Seconds after which a client that reads nothing of what is sent to it is disconnected.
    @_spi(Programs) public var stalledTimeout = 30.0
    /// Calls a second of one user in the long run; the burst is twice that many.
    @_spi(Programs) public var requestsPerSecond = 100.0
    /// The most requests of one user that wait for an administrator's decision at a time.
    @_spi(Programs) public var authorizationsPerUser = 16
    /// The maximum of regions of one user; a polygon counts once for each 32 corners or part of them.
    @_spi(Programs) public var regionsPerUser = 1000
    /// The most named monitors of one user.
    @_spi(Programs) public var monitorsPerUser = 32
    /// The most regions of all users together, each named monitor counting as one more.
    @_spi(Programs) public var regions = 10_000

    /// The limits unless configured.
    @_spi(Programs) public init() {}

    /// The part of ``regions`` that is left to users who are not exempt: nine tenths, but one at least.
    @_spi(Programs) public var regionsOfUsers: Int { max(1, regions - regions / 10) }

    /// The part of ``regions`` that all users who may not know the position share: a tenth, but at least one, so that
    /// there is room for every user whom an administrator has authorized.
    @_spi(Programs) public var regionsUnauthorized: Int { max(1, regions / 10) }

    /// The part of ``regionsPerUser`` for a user who may not know the position.
    @_spi(Programs) public var regionsPerUserUnauthorized: Int { max(1, regionsPerUser / 10) }
}
