import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import ProgramTestSupport
@_spi(Programs) import SystemSupport
import Varlink

/// A connection to the daemon on which the test itself writes calls and reads replies, in the order in which they come.
final class ClientConnection {
    private let descriptor: Int32
    /// Who made it.
    private let program: OtherUserProcess?
    private let encoder = MessageEncoder()
    private var buffer = MessageBuffer(limit: 4 << 20)
    private(set) var isOver = false

    init(descriptor: Int32, by program: OtherUserProcess?) {
        self.descriptor = descriptor
        self.program = program
    }

    deinit { close(descriptor) }

    func send(_ method: String, _ parameters: some Encodable = NoParameters(), more: Bool = false) throws {
        let bytes = try encoder.call(method, parameters, more: more)
        guard Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw Failure("not sent: \(errno)")
        }
    }

    /// The next reply.
    func next(within seconds: Double = 30) throws -> Reply {
        let start = MachineClock.now
        while true {
            if let reply = try taken() { return reply }
            guard !isOver else { throw Failure("the daemon ended the connection") }
            let left = seconds - MachineClock.now.seconds(since: start)
            guard left > 0 else { throw Failure("no reply within \(seconds) s") }
            receive(within: left)
        }
    }

    /// What has come, without waiting.
    func waiting() throws -> [Reply] {
        receive(within: 0)
        var replies: [Reply] = []
        while let reply = try taken() { replies.append(reply) }
        return replies
    }

    /// What comes until the daemon ends the connection.
    func awaitEnd(within seconds: Double = 30) throws -> [Reply] {
        let start = MachineClock.now
        while !isOver {
            let left = seconds - MachineClock.now.seconds(since: start)
            guard left > 0 else { throw Failure("the connection lasts") }
            receive(within: left)
        }
        return try waiting()
    }

    private func taken() throws -> Reply? {
        try buffer.next().map { try Reply($0) }
    }

    private func receive(within seconds: Double) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard !isOver, poll(&entry, 1, Int32(seconds * 1000)) > 0 else { return }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        if count > 0 { buffer.append(bytes[..<count]) } else if count == 0 || errno != EAGAIN { isOver = true }
    }
}
