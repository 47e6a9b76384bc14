import CMosquitto
import Glibc
import TestSupport

/// One connection to a broker by libmosquitto, as `locationd-fleet` has one: MQTT 3.1.1, QoS 1, no session that outlives it.
///
/// Ownership: everything belongs to the one thread of the program, on which libmosquitto calls its callbacks.
final class FleetClient {
    private(set) var isConnected = false
    private(set) var isSubscribed = false
    /// Seconds from each publishing to the broker's acknowledgement.
    private(set) var acknowledgements: [Double] = []
    /// When each message in flight was published, by libmosquitto's number.
    private(set) var inFlight: [Int32: Double] = [:]
    private let client: OpaquePointer
    private let receive: (_ topic: String, _ payload: UnsafeRawBufferPointer) -> Void

    /// - Parameter authority: the file of the authority for TLS, if it is used.
    init(
        _ name: String, authority: String? = nil,
        receive: @escaping (_ topic: String, _ payload: UnsafeRawBufferPointer) -> Void = { _, _ in }
    ) throws {
        guard let client = mosquitto_new(name, true, nil) else { throw Failure("no client") }
        (self.client, self.receive) = (client, receive)
        // Not retained: it is called by this object's own calls alone, and the client ends in `deinit`.
        mosquitto_user_data_set(client, Unmanaged.passUnretained(self).toOpaque())
        if let authority { try Self.check(mosquitto_tls_set(client, authority, nil, nil, nil, nil)) }
        mosquitto_connect_callback_set(client) { _, owner, code in
            if code == 0 { FleetClient.owner(owner)?.isConnected = true }
        }
        mosquitto_subscribe_callback_set(client) { _, owner, _, _, _ in FleetClient.owner(owner)?.isSubscribed = true }
        mosquitto_publish_callback_set(client) { _, owner, id in FleetClient.owner(owner)?.acknowledge(id) }
        mosquitto_message_callback_set(client) { _, owner, message in
            guard let message = message?.pointee, let topic = message.topic else { return }
            FleetClient.owner(owner)?.receive(
                String(cString: topic),
                UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen)))
        }
    }

    deinit { mosquitto_destroy(client) }

    private static func owner(_ pointer: UnsafeMutableRawPointer?) -> FleetClient? {
        pointer.map { Unmanaged<FleetClient>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func check(_ code: Int32) throws {
        guard code != 0 else { return }
        throw Failure(String(cString: mosquitto_strerror(code)))
    }

    func connect(to port: UInt16) throws { try Self.check(mosquitto_connect(client, "127.0.0.1", Int32(port), 60)) }

    func subscribe(_ topic: String) throws { try Self.check(mosquitto_subscribe(client, nil, topic, 1)) }

    func publish(_ topic: String, _ payload: [UInt8]) throws {
        var id: Int32 = 0
        let start = Self.now
        try Self.check(mosquitto_publish(client, &id, topic, Int32(payload.count), payload, 1, true))
        inFlight[id] = start
    }

    private func acknowledge(_ id: Int32) {
        if let start = inFlight.removeValue(forKey: id) { acknowledgements.append(Self.now - start) }
    }

    func forgetAcknowledgements() { acknowledgements.removeAll(keepingCapacity: true) }

    var socket: Int32 { mosquitto_socket(client) }

    /// Reads what there is, and writes what is left.
    ///
    /// - Returns: whether something is left that the socket does not take now.
    func serve() throws -> Bool {
        try Self.check(mosquitto_loop_read(client, 1))
        if mosquitto_want_write(client) { try Self.check(mosquitto_loop_write(client, 1)) }
        return mosquitto_want_write(client)
    }

    /// Pings where the connection is silent.
    func ping() throws { try Self.check(mosquitto_loop_misc(client)) }

    /// Seconds of the clock that never jumps.
    static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
