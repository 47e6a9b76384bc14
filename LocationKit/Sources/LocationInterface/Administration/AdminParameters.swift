@_spi(Programs) public import LocationModel

/// One connection in the reply of `ListClients`.
@_spi(Programs) public struct ClientReport: Codable, Sendable, Hashable {
    @_spi(Programs) public var id: Int
    @_spi(Programs) public var principal: String
    @_spi(Programs) public var pid: Int
    /// RFC 3339, by the daemon's wall clock.
    @_spi(Programs) public var since: UTCTime
    @_spi(Programs) public var socket: SocketKind
    @_spi(Programs) public var request: String?
    @_spi(Programs) public var purpose: String?
    /// What the program is that a bridge serves with the connection; `principal` is its owner then, and `pid` the
    /// bridge's.
    @_spi(Programs) public var label: String?
    /// The name and version of its library, as it claims.
    @_spi(Programs) public var library: String?
    @_spi(Programs) public var sent: Int
    @_spi(Programs) public var dropped: Int
    @_spi(Programs) public var behind: Bool
    /// Its share of the time in which a source ran, seconds.
    @_spi(Programs) public var receiverTime: Double

    @_spi(Programs) public init(id: Int, principal: String, pid: Int, since: UTCTime, socket: SocketKind) {
        self.id = id
        self.principal = principal
        self.pid = pid
        self.since = since
        self.socket = socket
        sent = 0
        dropped = 0
        behind = false
        receiverTime = 0
    }
}

/// The socket that a client connected to.
@_spi(Programs) public enum SocketKind: String, OpenEnumeration { case location, control, nmea, unknown }

@_spi(Programs) public struct ClientList: Codable, Sendable, Hashable {
    @_spi(Programs) public var clients: [ClientReport]
    @_spi(Programs) public init(clients: [ClientReport]) { self.clients = clients }
}

@_spi(Programs) public struct ClientID: Codable, Sendable, Hashable {
    @_spi(Programs) public var id: Int
    @_spi(Programs) public init(id: Int) { self.id = id }
}

/// The changes that a reload applied, and those that need a restart, as key paths of the configuration.
@_spi(Programs) public struct ReloadReport: Codable, Sendable, Hashable {
    @_spi(Programs) public var changed: [String]
    @_spi(Programs) public var needRestart: [String]
    @_spi(Programs) public init(changed: [String], needRestart: [String]) {
        self.changed = changed
        self.needRestart = needRestart
    }
}

@_spi(Programs) public struct LogLevelParameters: Codable, Sendable, Hashable {
    @_spi(Programs) public var level: String
    @_spi(Programs) public init(level: String) { self.level = level }
}

/// The parameters of `Simulate`; the daemon sets the location's `age`, `monotonicTime`, `sequence` and `source`.
@_spi(Programs) public struct SimulateParameters: Codable, Sendable, Hashable {
    @_spi(Programs) public var location: Location
    @_spi(Programs) public var isReplayed: Bool?
    @_spi(Programs) public init(location: Location, isReplayed: Bool? = nil) {
        self.location = location
        self.isReplayed = isReplayed
    }
}

@_spi(Programs) public struct SimulateReply: Codable, Sendable, Hashable {
    @_spi(Programs) public var sequence: Int64
    @_spi(Programs) public init(sequence: Int64) { self.sequence = sequence }
}

/// The parameters of errors that have an explanation in words.
@_spi(Programs) public struct Explanation: Codable, Sendable, Hashable {
    @_spi(Programs) public var reason: String
    @_spi(Programs) public init(reason: String) { self.reason = reason }
}
