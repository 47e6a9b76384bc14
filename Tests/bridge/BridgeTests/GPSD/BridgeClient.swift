import Glibc
import ProgramTestSupport

/// A program that speaks gpsd's protocol, byte by byte.
final class BridgeClient {
    private let descriptor: Int32
    /// Keeps another user's process alive.
    private let process: AssistantProcess?
    private(set) var text = ""
    private var hasEnded = false

    init(path: String) throws {
        descriptor = try SocketFile.connection(to: path)
        process = nil
        prepare()
    }

    /// - Parameter isNameless: the kernel does not name the owner of the connection, because its socket is bound to a
    ///   device.
    init(port: UInt16, isNameless: Bool = false) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        process = nil
        if isNameless { setsockopt(descriptor, SOL_SOCKET, SO_BINDTODEVICE, "lo", 2) }
        guard Loopback.connect(descriptor, to: port) else { throw Failure("not connected: \(errno)") }
        prepare()
    }

    private init(descriptor: Int32, process: AssistantProcess) {
        (self.descriptor, self.process) = (descriptor, process)
        prepare()
    }

    deinit { close(descriptor) }

    /// Connections that another user's process has made, so that the kernel names that user.
    static func ofAnotherUser(path: String, count: Int) async throws -> [BridgeClient] {
        let script = """
            import socket, sys
            hand = socket.socket(fileno=0)
            for _ in range(int(sys.argv[2])):
                connection = socket.socket(socket.AF_UNIX)
                connection.connect(sys.argv[1])
                socket.send_fds(hand, [b"!"], [connection.fileno()])
                connection.close()
            hand.recv(1)
            """
        let process = try AssistantProcess(AssistantProcess.python(script, [path, "\(count)"]), uid: 65_533)
        let descriptors = try await blocking { try (0..<count).compactMap { _ in try receiveDescriptor(process.hand) } }
        return descriptors.map { BridgeClient(descriptor: $0, process: process) }
    }

    /// What it sends waits in a buffer that is large enough for all of it.
    private func prepare() {
        var size: Int32 = 1 << 20
        setsockopt(descriptor, SOL_SOCKET, SO_SNDBUFFORCE, &size, socklen_t(MemoryLayout<Int32>.size))
    }

    func send(_ text: String) throws {
        let bytes = Array(text.utf8)
        guard Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT)) == bytes.count
        else { throw Failure("not sent: \(errno)") }
    }

    /// Returns when the bridge has read all that was sent, and the end.
    func awaitRead() async throws {
        try await eventually("the bridge reads it") { SocketFile.isRead(descriptor) }
    }

    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    func forget() { text = "" }

    func readWhatHasCome() throws {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
            if count == 0 || count < 0 && errno != EAGAIN { hasEnded = true }
            guard count > 0 else { return }
            text += String(decoding: bytes.prefix(count), as: UTF8.self)
        }
    }

    func awaitText(_ words: String, count: Int = 1) async throws {
        try await eventually("the client reads \(words)", details: { String(text.suffix(2000)) }) {
            try readWhatHasCome()
            let found = text.ranges(of: words).count
            if found < count, hasEnded { throw Failure("it has ended: \(text.suffix(2000))") }
            return found >= count
        }
    }

    /// Returns when the bridge has closed the connection.
    func awaitEnd() async throws {
        try await eventually("the connection ends") {
            try readWhatHasCome()
            return hasEnded
        }
    }

    /// The same for a client that reads nothing.
    func awaitHangUp() async throws { try await eventually("the connection ends") { hasHungUp } }

    /// Whether the bridge has closed the connection of a client that reads nothing.
    var hasHungUp: Bool {
        var entry = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&entry, 1, 0) > 0 && entry.revents & Int16(POLLHUP) != 0
    }
}
