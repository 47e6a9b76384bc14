import CMosquitto
import Glibc

/// Says in words why there is no connection, and what to do.
struct BrokerFailure {
    let address: BrokerAddress
    /// Whether the broker had accepted the connection.
    let wasConnected: Bool
    /// The library's code, and `errno` where the code refers to it.
    let code: Int32
    let errno: Int32

    /// - Parameter reports: what was reported at the connection.
    func sentence(_ reports: SessionReports) -> String {
        if let code = reports.connectCode, code != 0 { return refusal(code) }
        if let sentence = tls(reports.errors.joined(separator: "; ")) { return sentence }
        // libmosquitto's word for an alert of TLS whose text it does not pass on.
        if address.usesTLS, mosq_err_t(code) == MOSQ_ERR_ERRNO, errno == EPROTO { return alert }
        if wasConnected { return end(reports.disconnectCode) }
        return switch mosq_err_t(code) {
        case MOSQ_ERR_EAI, MOSQ_ERR_LOOKUP:
            "the host name \(address.host) of the broker is not known; check the name, and whether there is a network"
        case MOSQ_ERR_ERRNO where errno == ECONNREFUSED:
            "nothing listens at \(address) (\(Self.text(of: errno))); start the broker, or check the port"
        case MOSQ_ERR_ERRNO, MOSQ_ERR_CONN_PENDING:
            "the broker at \(address) cannot be reached: \(Self.text(of: errno))"
        case MOSQ_ERR_TLS, MOSQ_ERR_TLS_HANDSHAKE:
            "the broker at \(address) does not speak TLS as this client does; check the port, and the files for TLS"
        case MOSQ_ERR_TIMEOUT:
            "the broker at \(address) does not answer; check the port, and whether it expects "
                + (address.usesTLS ? "a connection without TLS (mqtt://)" : "TLS (mqtts://)")
        case MOSQ_ERR_CONN_LOST, MOSQ_ERR_NO_CONN:
            "the broker at \(address) closes the connection before it answers; check whether it expects "
                + (address.usesTLS ? "a client's certificate" : "TLS (mqtts://)")
        case MOSQ_ERR_INVAL, MOSQ_ERR_MALFORMED_UTF8:
            "the connection's settings are not accepted: \(Self.text(ofLibrary: code))"
        default: "what answers at \(address) is no broker of MQTT: \(Self.text(ofLibrary: code))"
        }
    }

    /// The broker's answer to a request to connect, in version 3.1.1 (1 to 5) or 5.
    private func refusal(_ code: Int32) -> String {
        switch code {
        case 4, 0x86:
            "the broker at \(address) refuses the user name or the password; check the file of the password"
        case 5, 0x87:
            "the broker at \(address) does not allow this client; check the user name and the password, and what the broker "
                + "allows the user"
        case 2, 0x85: "the broker at \(address) refuses the client's name; give another client-id"
        case 3, 0x88, 0x89: "the broker at \(address) is not available at present"
        case 1, 0x84: "the broker at \(address) speaks another version of MQTT"
        case 0x8A: "the broker at \(address) has banned this client; ask its administrator"
        default: "the broker at \(address) refuses the connection: \(Self.text(ofReason: code))"
        }
    }

    /// How a connection ended that had been accepted.
    private func end(_ disconnectCode: Int32?) -> String {
        switch disconnectCode {
        case 0x8E?:
            "the broker at \(address) has closed the connection because another client of the same name has connected; give "
                + "each device a client-id of its own"
        case 0x8B?: "the broker at \(address) is shutting down"
        case let reason? where reason >= 0x80:
            "the broker at \(address) has closed the connection: \(Self.text(ofReason: reason))"
        default:
            switch mosq_err_t(code) {
            case MOSQ_ERR_KEEPALIVE: "the broker at \(address) does not answer any more"
            case MOSQ_ERR_ERRNO: "the connection to \(address) is broken: \(Self.text(of: errno))"
            case MOSQ_ERR_PROTOCOL, MOSQ_ERR_MALFORMED_PACKET:
                "the broker at \(address) does not keep to the protocol"
            default:
                "the broker at \(address) has closed the connection; if that repeats, check that no other client has the same "
                    + "client-id"
            }
        }
    }

    /// What OpenSSL says of a certificate; `nil` if it says nothing.
    private func tls(_ errors: String) -> String? {
        guard address.usesTLS, !errors.isEmpty else { return nil }
        func has(_ words: String) -> Bool { errors.contains(words) }
        if has("host name verification failed") {
            return
                "the certificate of the broker at \(address) is that of another host; use the host name in the certificate"
        }
        if has("certificate verify failed") {
            return
                "the certificate of the broker at \(address) cannot be verified; check ca-file, the certificate's dates, and "
                + "this machine's clock"
        }
        if has("alert") { return alert }
        // A broker without TLS closes the connection at bytes that are no MQTT, and others answer in another protocol.
        let isEnd = has("unexpected eof while reading") && !wasConnected
        if has("wrong version number") || has("unknown protocol") || isEnd {
            let place = "\(address.host.contains(":") ? "[\(address.host)]" : address.host):\(address.port)"
            return "there is no TLS at \(place); use mqtt://, or the port that has TLS (8883 is usual)"
        }
        return "TLS with \(address) failed: \(errors)"
    }

    private var alert: String {
        "the broker at \(address) ends TLS: it refuses this client's certificate, or demands one; check certificate-file and "
            + "key-file"
    }

    private static func text(of errno: Int32) -> String {
        errno == 0 ? "no reason is known" : String(cString: strerror(errno))
    }

    static func text(ofLibrary code: Int32) -> String {
        mosquitto_strerror(code).map { String(cString: $0) } ?? "\(code)"
    }

    static func text(ofReason code: Int32) -> String {
        mosquitto_reason_string(code).map { String(cString: $0) } ?? "\(code)"
    }
}
