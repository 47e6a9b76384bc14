import Glibc
import ProgramTestSupport

/// Two connected sockets of the test's own process.
final class SocketPair: Sendable {
    let one: Int32
    private let other: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw Failure("no pair of sockets")
        }
        (one, other) = (ends[0], ends[1])
    }

    deinit {
        close(one)
        close(other)
    }
}
