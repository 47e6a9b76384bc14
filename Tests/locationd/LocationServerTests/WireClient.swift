import Glibc
@_spi(Programs) import LocationInterface
import ProgramTestSupport

/// A client that sees the bytes of the wire. It waits on a thread of its own, so that tests which wait do not hold up
/// each other.
actor WireClient {
    private let executor = QueueExecutor(label: "wire-client")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// The process that made the connection, if that is not the test's own; it lives as long as its last client.
    nonisolated let process: AssistantProcess?

    private var descriptor: Int32
    private var unread: [UInt8] = []
    private var input = [UInt8](repeating: 0, count: 65_536)

    /// Takes a connected socket over.
    init(descriptor: Int32, process: AssistantProcess? = nil) {
        self.descriptor = descriptor
        self.process = process
    }

    init(path: String) throws {
        descriptor = try SocketFile.connection(to: path)
        process = nil
    }

    deinit {
        if descriptor >= 0 { Glibc.close(descriptor) }
    }

    func close() {
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
    }

    /// Ends the sending half alone.
    func endWriting() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    // MARK: Sending

    /// Calls a method; `flags` is what else the request has, such as `"more":true`.
    func send(_ method: String, _ parameters: String = "{}", flags: String = "") throws {
        let flags = flags.isEmpty ? "" : ",\(flags)"
        try send(bytes: Array("{\"method\":\"\(method)\",\"parameters\":\(parameters)\(flags)}\0".utf8))
    }

    /// Sends all of them, waiting up to ten seconds for the server to take them.
    func send(bytes: [UInt8]) throws {
        guard try sendSome(bytes, within: 60) == bytes.count else {
            throw Failure("the server does not take what is sent")
        }
    }

    /// Sends until the server takes no more for so many seconds.
    /// - Returns: how many bytes went out.
    func sendSome(_ bytes: [UInt8], within seconds: Double) throws -> Int {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
            }
            if count > 0 {
                sent += count
            } else if errno == EAGAIN {
                guard wait(POLLOUT, until: .now + .seconds(seconds)) else { return sent }
            } else if errno != EINTR {
                throw Failure("cannot send: \(String(cString: strerror(errno)))")
            }
        }
        return sent
    }

    // MARK: Receiving

    enum Input: Sendable {
        case message(Message)
        /// The server has closed, or reset, the connection.
        case end
        /// Nothing whole came in time.
        case silence
    }

    func next(within seconds: Double = 60) throws -> Input {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while true {
            if let end = unread.firstIndex(of: 0) {
                let message = Array(unread[..<end])
                unread.removeFirst(end + 1)
                return .message(try Message(message))
            }
            guard wait(POLLIN, until: deadline) else { return .silence }
            let count = recv(descriptor, &input, input.count, Int32(MSG_DONTWAIT))
            if count > 0 { unread += input[..<count] } else if count == 0 || errno == ECONNRESET { return .end }
        }
    }

    /// The next message; there has to be one.
    func message() throws -> Message {
        switch try next() {
        case .message(let message): return message
        case .end: throw Failure("the server ended the connection where a message was due")
        case .silence: throw Failure("no message came")
        }
    }

    /// The answer to a call.
    func call(_ method: String, _ parameters: String = "{}") throws -> Message {
        try send(method, parameters)
        return try message()
    }

    /// The next reply that has a location; those without are passed over.
    func location() throws -> Message {
        while true {
            let message = try message()
            if try message.update.location != nil { return message }
        }
    }

    /// Every message until the server ends the connection.
    func messagesUntilEnd(within seconds: Double = 60) throws -> [Message] {
        var messages: [Message] = []
        while true {
            switch try next(within: seconds) {
            case .message(let message): messages.append(message)
            case .end: return messages
            case .silence: throw Failure("the connection stays open after \(messages.count) messages")
            }
        }
    }

    /// So many lines of text, without their ends.
    func lines(_ count: Int) throws -> [String] {
        let lines = try linesUntilEnd(limit: count)
        guard lines.count == count else { throw Failure("the server ended the connection after \(lines)") }
        return lines
    }

    /// The lines of text until the server ends the connection, or there are as many as wanted.
    func linesUntilEnd(limit count: Int = .max, within seconds: Double = 60) throws -> [String] {
        let deadline = ContinuousClock.now + .seconds(seconds)
        var lines: [String] = []
        while lines.count < count {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                lines.append(String(decoding: unread[..<end].dropLast(), as: UTF8.self))
                unread.removeFirst(end + 1)
                continue
            }
            guard wait(POLLIN, until: deadline) else { throw Failure("\(lines.count) lines of \(count) came") }
            let received = recv(descriptor, &input, input.count, Int32(MSG_DONTWAIT))
            if received > 0 { unread += input[..<received] } else if received == 0 || errno == ECONNRESET { break }
        }
        return lines
    }

    private func wait(_ events: Int32, until deadline: ContinuousClock.Instant) -> Bool {
        while true {
            let left = max(0, (deadline - .now) / .milliseconds(1))
            var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
            if poll(&entry, 1, Int32(left.rounded(.up))) > 0 { return true }
            if left == 0 { return false }
        }
    }
}
