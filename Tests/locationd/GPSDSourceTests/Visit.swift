import CLinux
import Glibc
import ProgramTestSupport
import Synchronization

/// A client's connection, seen from gpsd; it ends with this object at the latest.
final class Visit: Sendable {
    private static let patience: Int32 = 60_000
    private let descriptor: Mutex<Int32?>

    init(descriptor: Int32) {
        self.descriptor = Mutex(descriptor)
    }

    deinit { close() }

    func close() {
        descriptor.withLock { descriptor in
            if let open = descriptor { Glibc.close(open) }
            descriptor = nil
        }
    }

    /// Ends the connection with a reset instead of an orderly end.
    func reset() {
        descriptor.withLock { descriptor in
            guard let open = descriptor else { return }
            var atOnce = linger(l_onoff: 1, l_linger: 0)
            setsockopt(open, SOL_SOCKET, SO_LINGER, &atOnce, socklen_t(MemoryLayout<linger>.size))
            Glibc.close(open)
            descriptor = nil
        }
    }

    func send(_ line: String) async throws {
        try await send(Array("\(line)\r\n".utf8))
    }

    func send(_ bytes: [UInt8]) async throws {
        try await blocking { [self] in
            let descriptor = try open()
            var sent = 0
            while sent < bytes.count {
                try wait(for: POLLOUT)
                let count = bytes.withUnsafeBytes { whole in
                    let rest = whole[sent...]
                    return UnsafeRawBufferPointer(rebasing: rest).baseAddress.map {
                        clinux_send(descriptor, $0, rest.count)
                    } ?? 0
                }
                guard count > 0 || errno == EAGAIN else { throw Failure("not sent: \(errno)") }
                sent += max(0, count)
            }
        }
    }

    /// The client's next line.
    func line() async throws -> String {
        try await blocking { [self] in
            var line: [UInt8] = []
            while let byte = try next() {
                if byte == 0x0A { return String(decoding: line, as: UTF8.self) }
                line.append(byte)
            }
            throw Failure("the client ended the connection")
        }
    }

    /// Waits until the client has closed the connection, whatever it says before.
    func end() async throws {
        try await blocking { [self] in while try next() != nil {} }
    }

    private func open() throws -> Int32 {
        guard let descriptor = descriptor.withLock({ $0 }) else { throw Failure("already closed") }
        return descriptor
    }

    private func wait(for event: Int32) throws {
        var wait = pollfd(fd: try open(), events: Int16(event), revents: 0)
        guard poll(&wait, 1, Self.patience) > 0 else { throw Failure("the client does nothing") }
    }

    /// - Returns: `nil` at the end of the connection.
    private func next() throws -> UInt8? {
        try wait(for: POLLIN)
        var byte: UInt8 = 0
        return read(try open(), &byte, 1) == 1 ? byte : nil
    }
}
