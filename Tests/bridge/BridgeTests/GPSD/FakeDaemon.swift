import Glibc
import ProgramTestSupport
import Synchronization
@_spi(Programs) import SystemSupport

/// A daemon whose replies a test writes: it listens on a control socket, and answers by itself nothing but which
/// receivers it has.
final class FakeDaemon {
    /// A connection with the call that has come over it.
    struct Conversation {
        let socket: UnixSocket
        let call: String

        func reply(_ parameters: String, continues: Bool = true) throws {
            try write([#"{\#(continues ? #""continues":true,"# : "")"parameters":\#(parameters)}"#])
        }

        /// Writes messages at once.
        func write(_ messages: [String]) throws {
            try socket.write(messages.flatMap { Array($0.utf8) + [0] })
        }

        /// Whether the bridge has closed it; what it has sent besides is dropped.
        var hasEnded: Bool { (try? socket.read(forMilliseconds: 0))?.isEmpty == true }

        /// Returns when the bridge has closed it.
        func awaitEnd() async throws {
            try await eventually("the bridge closes the connection") {
                try socket.read(forMilliseconds: 0)?.isEmpty == true
            }
        }
    }

    let path: String
    private let listener: Int32
    private let waiting = Waiting()

    /// Connections with their calls, which a thread has accepted.
    private final class Waiting: Sendable {
        let calls = Mutex<[(descriptor: Int32, text: String)]>([])

        func pop() -> (socket: UnixSocket, text: String)? {
            let call = calls.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            return call.map { (UnixSocket(descriptor: $0.descriptor), $0.text) }
        }

        deinit { for call in calls.withLock({ $0 }) { close(call.descriptor) } }
    }

    init(in folder: TemporaryFolder) throws {
        path = folder("control.sock")
        listener = try SocketFile.listener(at: path)
        let (listener, waiting) = (listener, waiting)
        let isStarted = DetachedThread.start(named: "fake-daemon") {
            while case let connection = accept(listener, nil, nil), connection >= 0 {
                var (call, byte) = ([UInt8](), UInt8(0))
                while read(connection, &byte, 1) == 1, byte != 0 { call.append(byte) }
                let text = String(decoding: call, as: UTF8.self)
                // As the daemon does at once: what a test says later is no silence of ten seconds, however busy the
                // machine is.
                let first = #"{"continues":true,"parameters":{}}"# + "\0"
                if text.contains(".Watch\"") { send(connection, first, first.utf8.count, Int32(MSG_NOSIGNAL)) }
                waiting.calls.withLock { $0.append((connection, text)) }
            }
            close(listener)
        }
        guard isStarted else { throw Failure("no further thread is allowed") }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    /// Whether a further connection has come.
    var hasConnection: Bool { waiting.pop() != nil }

    /// What it answers about its receivers; `nil` for nothing.
    var receivers: String? = #"{"parameters":{"receivers":[{"source":"gpsd"}]}}"#

    /// Waits for the next connection and its call, and tells its receivers meanwhile.
    func conversation(calling method: String) async throws -> Conversation {
        var found: (socket: UnixSocket, text: String)?
        try await eventually("the bridge calls \(method)") {
            found = waiting.pop()
            guard let call = found else { return false }
            guard method != "ListReceivers", let receivers, call.text.contains(".ListReceivers\"") else { return true }
            // The bridge may have given up waiting.
            try? call.socket.write(Array(receivers.utf8) + [0])
            return false
        }
        guard let found, found.text.contains(".\(method)\"") else {
            throw Failure("not \(method): \(found?.text ?? "")")
        }
        return Conversation(socket: found.socket, call: found.text)
    }

    static func status(
        _ authorization: String = "authorizedAlways", accuracy: String = "full", source: String = "tracking"
    ) -> String {
        #"{"status":{"accuracy":"\#(accuracy)","authorization":"\#(authorization)","authorizationPending":false,"#
            + #""enabled":true,"source":"\#(source)"}}"#
    }

    private static let sequence = Atomic<Int>(0)

    /// A watch's reply with a location at this latitude, as the daemon writes it: each one has the next number.
    static func location(
        latitude: Int, device: String? = nil, method: String = "gnss", monotonicTime: Double = 1
    ) -> String {
        let sequence = sequence.add(1, ordering: .relaxed).newValue
        return #"{"continues":true,"parameters":{"location":{"age":0,"latitude":\#(latitude),"longitude":2,"#
            + #""mode":"twoDimensional","monotonicTime":\#(monotonicTime),"sequence":\#(sequence),"source":{"isReplayed":false,"#
            + #""isSimulated":false,"method":"\#(method)","name":"gpsd""#
            + (device.map { #","device":"\#($0)""# } ?? "") + "}}}}"
    }

    static let satellites =
        #"{"continues":true,"parameters":{"satellites":[{"gnss":"GPS","id":7,"signal":40,"used":true}]}}"#
}
