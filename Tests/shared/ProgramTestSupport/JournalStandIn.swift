import Glibc

/// A datagram socket that stands where the journal's would.
package final class JournalStandIn: Sendable {
    /// What was sent: in the datagram itself, or in memory that was handed over with it.
    package enum Message: Equatable {
        case datagram([UInt8])
        case memory([UInt8], seals: Int32)

        package var bytes: [UInt8] {
            switch self {
            case .datagram(let bytes), .memory(let bytes, _): bytes
            }
        }

        package var text: String { String(decoding: bytes, as: UTF8.self) }
    }

    private let descriptor: Int32

    package init(_ path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let address = try SocketFile(path)
        guard address.bind(descriptor) else { throw Failure("\(path) not bound: \(errno)") }
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// Whether nothing waits to be read.
    package var isEmpty: Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) == 0
    }

    /// Waits for the next one.
    package func next() throws -> Message {
        var room = [UInt8](repeating: 0, count: 1 << 20)
        // One control message: its length (8 bytes), level and type (4 each), and the descriptor.
        let control = UnsafeMutableRawBufferPointer.allocate(byteCount: 24, alignment: 8)
        defer { control.deallocate() }
        let (count, length) = room.withUnsafeMutableBytes { room in
            var part = iovec(iov_base: room.baseAddress, iov_len: room.count)
            return withUnsafeMutablePointer(to: &part) { part in
                var message = msghdr()
                message.msg_iov = part
                message.msg_iovlen = 1
                message.msg_control = control.baseAddress
                message.msg_controllen = control.count
                let count = recvmsg(descriptor, &message, Int32(MSG_CMSG_CLOEXEC))
                return (count, message.msg_controllen)
            }
        }
        guard count >= 0 else { throw Failure("nothing was sent: \(errno)") }
        guard length >= 20 else { return .datagram(Array(room[..<count])) }
        let memory = control.load(fromByteOffset: 16, as: Int32.self)
        defer { close(memory) }
        let size = lseek(memory, 0, SEEK_END)
        var bytes = [UInt8](repeating: 0, count: size)
        guard pread(memory, &bytes, size, 0) == size else { throw Failure("the memory cannot be read: \(errno)") }
        let getSeals: Int32 = 1034
        return .memory(bytes, seals: fcntl(memory, getSeals))
    }
}
