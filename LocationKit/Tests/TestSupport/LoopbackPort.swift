import Glibc
import Synchronization

/// TCP ports of this machine for those who listen later, or never. Each is given out once, and is below those that the
/// kernel gives to outgoing connections and to whoever asks for any: one of these could come in between.
package enum LoopbackPort {
    private static let range: Range<UInt16> = 20_000..<32_000
    private static let last = Mutex(UInt16.random(in: range))

    /// A port that is free now, on which somebody can listen in a moment.
    package static func free() throws -> UInt16 {
        for _ in range {
            let port = last.withLock { last in
                last = last + 1 < range.upperBound ? last + 1 : range.lowerBound
                return last
            }
            if try isFree(port) { return port }
        }
        throw Failure("no free port in \(range)")
    }

    private static func isFree(_ port: UInt16) throws -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure("no socket: \(errno)") }
        defer { close(descriptor) }
        return Loopback.withAddress(port) { bind(descriptor, $0, $1) } == 0
    }
}
