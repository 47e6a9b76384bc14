import CNetlink
import Glibc

/// A socket of generic netlink: requests, and the messages of a group.
struct GenericNetlink: ~Copyable {
    /// Why the kernel does not do what is asked.
    struct Refusal: Error, Equatable, CustomStringConvertible {
        let code: Int32
        var description: String { String(cString: strerror(code)) }
    }

    /// Seconds that the kernel has to answer.
    private static let patience = 2
    /// Bytes of a datagram at most: the kernel fills up to 32 KiB, or a page.
    private static let size = 65_536

    let descriptor: Int32
    private var sequence = UInt32(0)

    init() throws(Refusal) {
        descriptor = socket(AF_NETLINK, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), NETLINK_GENERIC)
        guard descriptor >= 0 else { throw Refusal(code: errno) }
        var time = timeval(tv_sec: Self.patience, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_nl()
        address.nl_family = sa_family_t(AF_NETLINK)
        let outcome = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_nl>.size))
            }
        }
        guard outcome == 0 else { throw Refusal(code: errno) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Receives the messages of a group from now on.
    func join(_ group: UInt32) throws(Refusal) {
        var group = group
        guard setsockopt(descriptor, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, 4) == 0 else {
            throw Refusal(code: errno)
        }
    }

    /// Sends a request, and returns what answers it.
    ///
    /// - Throws: what the kernel says, or `ETIMEDOUT`.
    mutating func request(_ message: NetlinkMessage) throws(Refusal) -> [NetlinkMessage] {
        var message = message
        sequence &+= 1
        message.sequence = sequence
        message.flags |= UInt16(NLM_F_REQUEST) | UInt16(NLM_F_ACK)
        let bytes = message.bytes
        guard send(descriptor, bytes, bytes.count, 0) == bytes.count else { throw Refusal(code: errno) }
        var answers: [NetlinkMessage] = []
        while true {
            for answer in try receive() where answer.sequence == sequence {
                switch Int32(answer.type) {
                case NLMSG_DONE: return answers
                case NLMSG_ERROR:
                    let code = NetlinkMessage.number(in: answer.payload[...], at: 0, Int32.self)
                    guard code == 0 else { throw Refusal(code: -max(code, -4095)) }
                    return answers
                default: answers.append(answer)
                }
            }
        }
    }

    /// The messages of the next datagram.
    func receive() throws(Refusal) -> [NetlinkMessage] {
        var buffer = [UInt8](repeating: 0, count: Self.size)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count > 0 { return NetlinkMessage.list(in: buffer.prefix(count)) }
            guard errno == EINTR else { throw Refusal(code: errno == EAGAIN ? ETIMEDOUT : errno) }
        }
    }
}
