import Foundation
import Glibc
import TestSupport
import Testing

/// Connections made by another user's process, so that the kernel vouches for another uid.
///
/// The process connects, hands the connections over and ends; who made a connection stays on record.
enum Stranger {
    /// Nobody's, and not the one that stands for all that are unknown.
    static let uid: UInt32 = 65_533

    /// Whether this process may start one of another user.
    static var isPossible: Bool { getuid() == 0 }

    static func connect(
        to path: String, count: Int = 1, uid: UInt32 = uid, groups: [UInt32] = [], saying request: String = ""
    ) async throws -> [WireClient] {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw Failure("no pair of sockets")
        }
        let (near, far) = (ends[0], ends[1])
        defer { close(near) }
        let supplementary =
            groups.isEmpty ? ["--clear-groups"] : ["--groups", groups.map(String.init).joined(separator: ",")]
        let arguments =
            ["--reuid", "\(uid)", "--regid", "\(uid)"] + supplementary
            + ["/usr/bin/python3", "-I", "-c", script, path, "\(count)", request]
        let child = try ChildProcess(
            "setpriv", arguments, input: FileHandle(fileDescriptor: far, closeOnDealloc: true))
        let outcome = try await child.outcome()
        guard outcome.code == 0 else { throw Failure("the other user could not connect: \(outcome.output)") }
        return try (0..<count).map { _ in WireClient(descriptor: try receiveDescriptor(near)) }
    }

    private static let script = """
        import socket, sys
        hand = socket.socket(fileno=0)
        connections = []
        for _ in range(int(sys.argv[2])):
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(sys.argv[1])
            if sys.argv[3]:
                connection.sendall(sys.argv[3].encode() + b"\\0")
            connections.append(connection)
        for connection in connections:
            socket.send_fds(hand, [b"!"], [connection.fileno()])
        """

    /// Takes one descriptor that came with one byte. Swift knows none of the macros for control messages: on Linux one
    /// begins with its length (8 bytes), its level and its type (4 each), and the descriptor follows.
    private static func receiveDescriptor(_ socket: Int32) throws -> Int32 {
        var byte: UInt8 = 0
        return try withUnsafeMutablePointer(to: &byte) { byte in
            try withUnsafeTemporaryAllocation(byteCount: 24, alignment: 8) { control in
                var part = iovec(iov_base: byte, iov_len: 1)
                let (count, length) = withUnsafeMutablePointer(to: &part) { part in
                    var message = msghdr()
                    message.msg_iov = part
                    message.msg_iovlen = 1
                    message.msg_control = control.baseAddress
                    message.msg_controllen = control.count
                    let count = recvmsg(socket, &message, Int32(MSG_CMSG_CLOEXEC))
                    return (count, message.msg_controllen)
                }
                guard count == 1, length >= 20 else { throw Failure("no connection was handed over") }
                return control.load(fromByteOffset: 16, as: Int32.self)
            }
        }
    }
}
