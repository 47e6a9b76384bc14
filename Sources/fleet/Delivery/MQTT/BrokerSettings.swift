/// How to connect to a broker, or to one of several.
package struct BrokerSettings: Sendable {
    package let addresses: BrokerAddresses
    /// The name by which the broker knows this client. A second client of the name disconnects the first.
    package let clientID: String
    package var login: BrokerLogin?
    package var tls = TLSFiles()
    /// Whether MQTT 5 is tried, before 3.1.1. libmosquitto 2.0.11 aborts the process at a packet of version 5 with an
    /// unknown property (an assertion in its log), which only a faulty or hostile broker sends; in 3.1.1 there are
    /// none.
    package var triesVersion5 = false
    /// The topic whose messages are received; `nil` for none.
    package var subscription: String?
    /// Whether messages that the broker had kept are received too.
    package var receivesRetained = false
    /// Bytes of a received message at most; of a longer one the payload is missing.
    package var longestMessage = 4096
    /// Seconds, 5 to 65535, after which a silent connection is tried by a ping; it is given up when as much passes
    /// again.
    package var keepalive = 60
    /// Seconds until the broker has to accept the connection.
    package var connectTimeout = 10.0

    package init(_ addresses: BrokerAddresses, clientID: String) {
        (self.addresses, self.clientID) = (addresses, clientID)
    }
}

/// The files for TLS, in PEM.
package struct TLSFiles: Sendable, Equatable {
    /// The authorities whose certificates are believed; `nil` for the system's.
    package var authorities: String?
    /// The client's own certificate, and its key, which has no password; both or none.
    package var certificate: String?
    package var key: String?

    package init() {}
}

/// User name and password for a broker.
package struct BrokerLogin: Sendable, Equatable {
    package let user: String
    package let password: String?

    /// - Parameter text: the user name in the first line, and the password in the second, if there is one.
    /// - Returns: `nil` if the first line is empty, a line has a NUL, or there are more than two.
    package init?(_ text: String) {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        if lines.last == "" { lines.removeLast() }
        guard (1...2).contains(lines.count), !lines[0].isEmpty, !text.contains("\0") else { return nil }
        user = String(lines[0])
        password = lines.count == 2 ? String(lines[1]) : nil
    }
}

/// What is published, or received.
package struct BrokerMessage: Sendable, Equatable {
    package let topic: String
    package let payload: [UInt8]
    package let isRetained: Bool

    package init(topic: String, payload: [UInt8], isRetained: Bool) {
        (self.topic, self.payload, self.isRetained) = (topic, payload, isRetained)
    }
}

/// What happens at a connection. Each connection has a number, which rises.
package enum BrokerEvent: Sendable, Equatable {
    /// The broker of this address has accepted the connection, by MQTT 5 or else 3.1.1.
    case connected(Int, to: BrokerAddress, isVersion5: Bool)
    /// The broker has the message of this number.
    case acknowledged(Int64, connection: Int)
    /// The broker, or the library, does not accept the message of this number; the reason is a sentence.
    case refused(Int64, connection: Int, reason: String)
    /// The broker does not allow the subscription; the reason is a sentence. The connection stays.
    case subscriptionRefused(reason: String)
    /// A message of the subscription.
    case received(BrokerMessage)
    /// There is no connection, and why; it is tried again. It comes after each attempt that fails.
    case disconnected(reason: String)
    /// The last event: the client was asked to end.
    case ended
}
