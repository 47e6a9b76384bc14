package import LocationModel

/// One connection in the reply of `ListClients`.
package struct ClientReport: Codable, Sendable, Hashable {
    package var id: Int
    package var principal: String
    package var pid: Int
    /// RFC 3339, by the daemon's wall clock.
    package var since: UTCTime
    package var socket: SocketKind
    package var request: String?
    package var purpose: String?
    /// What the program is that a bridge serves with the connection; `principal` is its owner then, and `pid` the bridge's.
    package var label: String?
    package var sent: Int
    package var dropped: Int
    package var behind: Bool
    /// Its share of the time in which a source ran, seconds.
    package var receiverTime: Double

    package init(id: Int, principal: String, pid: Int, since: UTCTime, socket: SocketKind) {
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
package enum SocketKind: String, OpenEnumeration { case location, control, nmea, unknown }

package struct ClientList: Codable, Sendable, Hashable {
    package var clients: [ClientReport]
    package init(clients: [ClientReport]) { self.clients = clients }
}

package struct ClientID: Codable, Sendable, Hashable {
    package var id: Int
    package init(id: Int) { self.id = id }
}

/// The changes that a reload applied, and those that need a restart, as key paths of the configuration.
package struct ReloadReport: Codable, Sendable, Hashable {
    package var changed: [String]
    package var needRestart: [String]
    package init(changed: [String], needRestart: [String]) {
        self.changed = changed
        self.needRestart = needRestart
    }
}

package struct LogLevelParameters: Codable, Sendable, Hashable {
    package var level: String
    package init(level: String) { self.level = level }
}

/// The parameters of `Simulate`; the daemon sets the location's `age`, `monotonicTime`, `sequence` and `source`.
package struct SimulateParameters: Codable, Sendable, Hashable {
    package var location: Location
    package var isReplayed: Bool?
    package init(location: Location, isReplayed: Bool? = nil) {
        self.location = location
        self.isReplayed = isReplayed
    }
}

package struct SimulateReply: Codable, Sendable, Hashable {
    package var sequence: Int64
    package init(sequence: Int64) { self.sequence = sequence }
}

/// The parameters of errors that have an explanation in words.
package struct Explanation: Codable, Sendable, Hashable {
    package var reason: String
    package init(reason: String) { self.reason = reason }
}
