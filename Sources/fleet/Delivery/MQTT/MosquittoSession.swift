import CMosquitto
import Glibc

/// What libmosquitto has reported to its callbacks since it was last asked.
///
/// Ownership: only the thread of the broker's loop. libmosquitto calls its callbacks on the thread that calls its
/// functions, because no thread of its own is started (`mosquitto_loop_start` is not used).
final class SessionReports {
    /// The broker's answer to the connection's request.
    var connectCode: Int32?
    /// The numbers by which libmosquitto knows acknowledged messages, each with the broker's answer.
    var published: [(id: Int32, code: Int32)] = []
    /// Why the broker ends the connection, if it says so, as version 5 can.
    var disconnectCode: Int32?
    /// The broker's answer to the request to subscribe: the granted QoS, or from 0x80 on why it refuses.
    var subscribeCode: Int32?
    /// Messages of the subscription.
    var received: [BrokerMessage] = []
    /// Which of them are received, and bytes of one.
    private let receivesRetained: Bool
    private let longest: Int
    /// The newest of libmosquitto's and OpenSSL's own words about an error.
    var errors: [String] = []

    /// Messages between two turns of the loop: whatever is beyond is dropped.
    private static let most = 16

    init(_ settings: BrokerSettings) {
        (receivesRetained, longest) = (settings.receivesRetained, settings.longestMessage)
    }

    func append(_ message: mosquitto_message) {
        guard receivesRetained || !message.retain, received.count < Self.most, let topic = message.topic else { return }
        let count = Int(message.payloadlen)
        let payload = UnsafeRawBufferPointer(start: message.payload, count: count <= longest ? max(0, count) : 0)
        received.append(
            BrokerMessage(topic: String(cString: topic), payload: Array(payload), isRetained: message.retain))
    }
}

/// One connection to a broker, and nothing that outlives it.
///
/// libmosquitto keeps what it could not send in memory, and sends it after a reconnection, although the call has
/// reported `MOSQ_ERR_NO_CONN`. The outbox would publish the same messages again. So each connection has a client of
/// its own, which is destroyed together with that queue.
struct MosquittoSession: ~Copyable {
    let client: OpaquePointer
    let reports: SessionReports

    /// - Returns: `nil` if there is no memory, or a text that the library does not accept.
    static func make(_ settings: BrokerSettings, isVersion5: Bool, will: BrokerMessage?) -> MosquittoSession? {
        let reports = SessionReports(settings)
        // Not retained: `reports` becomes a member, so that it lives until `deinit`, which destroys the client and with
        // it the last use of the pointer.
        guard let client = mosquitto_new(settings.clientID, true, Unmanaged.passUnretained(reports).toOpaque()) else {
            return nil
        }
        let session = MosquittoSession(client: client, reports: reports)
        mosquitto_int_option(
            client, MOSQ_OPT_PROTOCOL_VERSION, Int32(isVersion5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311))
        setCallbacks(client)
        if let login = settings.login {
            guard mosquitto_username_pw_set(client, login.user, login.password) == 0 else { return nil }
        }
        if let will {
            let code = mosquitto_will_set(
                client, will.topic, Int32(will.payload.count), will.payload, 1, will.isRetained)
            guard code == 0 else { return nil }
        }
        return session
    }

    private init(client: OpaquePointer, reports: SessionReports) {
        (self.client, self.reports) = (client, reports)
    }

    private static func setCallbacks(_ client: OpaquePointer) {
        mosquitto_connect_v5_callback_set(client) { _, reports, code, _, _ in
            MosquittoSession.reports(reports)?.connectCode = code
        }
        mosquitto_publish_v5_callback_set(client) { _, reports, id, code, _ in
            MosquittoSession.reports(reports)?.published.append((id, code))
        }
        mosquitto_subscribe_v5_callback_set(client) { _, reports, _, count, codes, _ in
            // There is one code for each topic of the request, which has one.
            if count > 0, let codes { MosquittoSession.reports(reports)?.subscribeCode = codes[0] }
        }
        mosquitto_message_v5_callback_set(client) { _, reports, message, _ in
            // The message is libmosquitto's, and is copied before the callback returns.
            if let message { MosquittoSession.reports(reports)?.append(message.pointee) }
        }
        mosquitto_disconnect_v5_callback_set(client) { _, reports, code, _ in
            MosquittoSession.reports(reports)?.disconnectCode = code
        }
        mosquitto_log_callback_set(client) { _, reports, level, text in
            guard level == MOSQ_LOG_ERR, let text, let reports = MosquittoSession.reports(reports) else { return }
            reports.errors.append(String(cString: text))
            if reports.errors.count > 4 { reports.errors.removeFirst() }
        }
    }

    deinit { mosquitto_destroy(client) }

    /// The pointer is that of `init`, whose object lives as long as the client that calls with it.
    private static func reports(_ pointer: UnsafeMutableRawPointer?) -> SessionReports? {
        pointer.map { Unmanaged<SessionReports>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Sets the files for TLS.
    ///
    /// - Returns: false if the library does not accept one of them.
    func useTLS(_ files: TLSFiles) -> Bool {
        let (file, folder) = files.authorities.map { ($0, nil) } ?? (nil, "/etc/ssl/certs")
        // Without a callback OpenSSL would ask for a key's password on the terminal.
        return mosquitto_tls_set(client, file, folder, files.certificate, files.key, { _, _, _, _ in 0 }) == 0
    }

    /// Connects, and sends the request. It blocks until the host is looked up and the connection made.
    ///
    /// - Returns: the library's code, and `errno` where the code refers to it.
    func connect(to address: BrokerAddress, keepalive: Int) -> (code: Int32, errno: Int32) {
        errno = 0
        let code = mosquitto_connect_bind_v5(
            client, address.host, Int32(address.port), Int32(keepalive), nil, nil)
        return (code, errno)
    }

    /// Reads and writes what is possible now, and pings where the connection is silent.
    func serve(isReadable: Bool) -> (code: Int32, errno: Int32) {
        errno = 0
        var code: Int32 = 0
        if isReadable { code = mosquitto_loop_read(client, 1) }
        if code == 0, mosquitto_want_write(client) { code = mosquitto_loop_write(client, 1) }
        if code == 0 { code = mosquitto_loop_misc(client) }
        return (code, errno)
    }

    func subscribe(_ topic: String) -> Int32 { mosquitto_subscribe(client, nil, topic, 1) }

    /// - Returns: the library's code, and the number by which it will acknowledge the message.
    func publish(_ message: BrokerMessage) -> (code: Int32, id: Int32) {
        var id: Int32 = 0
        let code = mosquitto_publish_v5(
            client, &id, message.topic, Int32(message.payload.count), message.payload, 1, message.isRetained, nil)
        return (code, id)
    }
}
