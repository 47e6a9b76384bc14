import Glibc
import TestSupport

/// TCP on this machine, seen from outside.
enum LoopbackPort {
    /// A port that is free now, on which somebody can listen in a moment.
    static func free() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure("no socket: \(errno)") }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
            }
        }
        guard isBound else { throw Failure("no free port: \(errno)") }
        return UInt16(bigEndian: address.sin_port)
    }

    /// Whether somebody listens, by the kernel's list: the near end's address is the second column, the state the
    /// fourth, and 0A says so.
    static func isListening(_ port: UInt16) -> Bool {
        let suffix = ":" + hexadecimal(port)
        return text(of: "/proc/net/tcp").split(separator: "\n").contains { line in
            let columns = line.split(separator: " ")
            return columns.count > 3 && columns[1].hasSuffix(suffix) && columns[3] == "0A"
        }
    }

    private static func hexadecimal(_ port: UInt16) -> String {
        let digits = String(port, radix: 16, uppercase: true)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}
