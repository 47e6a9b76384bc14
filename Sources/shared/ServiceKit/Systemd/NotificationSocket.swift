import CLinux
import Glibc

/// Sends a service's notifications to systemd: datagrams to the socket that systemd names.
///
/// The descriptor is opened once, so that notifications still work in a process that has run out of descriptors; it is
/// closed on exec.
package final class NotificationSocket: Sendable {
    private let descriptor: Int32
    private let address: [UInt8]
    /// How long a notification that must not be lost waits for room in systemd's queue, seconds.
    private static let timeout = 10

    /// - Parameter name: a path, or after `@` a name of the abstract namespace.
    /// - Throws: that nothing can be sent there, and what to do.
    package init(_ name: String) throws(SystemdError) {
        guard let address = Self.address(name) else {
            throw SystemdError(
                "NOTIFY_SOCKET=\(name) is neither a path nor an abstract name of at most 107 bytes; "
                    + "start the daemon without it")
        }
        self.address = address
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else {
            throw SystemdError("no socket to notify systemd: \(String(cString: strerror(errno))); raise LimitNOFILE")
        }
        var timeout = timeval(tv_sec: Self.timeout, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Sends notifications to systemd, all in one message.
    ///
    /// - Parameter waits: whether to wait, ten seconds at most, while systemd's queue is full; never on a thread that
    ///   others wait for.
    /// - Returns: whether it is in systemd's queue.
    @discardableResult
    package func send(_ notifications: Notification..., waits: Bool) -> Bool {
        let bytes = Array(notifications.map(\.text).joined(separator: "\n").utf8)
        // Connects each time, because the socket at the address may have been replaced.
        let isConnected = address.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return false }
            return connect(descriptor, base.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count)) == 0
        }
        guard isConnected else { return false }
        while true {
            let count = waits ? write(descriptor, bytes, bytes.count) : clinux_send(descriptor, bytes, bytes.count)
            if count >= 0 || errno != EINTR { return count == bytes.count }
        }
    }

    private static func address(_ name: String) -> [UInt8]? {
        var path = Array(name.utf8)
        let isAbstract = path.first == UInt8(ascii: "@")
        guard path.count > 1, isAbstract || path.first == UInt8(ascii: "/") else { return nil }
        var head = sockaddr_un()
        head.sun_family = sa_family_t(AF_UNIX)
        guard path.count < MemoryLayout.size(ofValue: head.sun_path) else { return nil }
        if isAbstract { path[0] = 0 }
        // The length of an abstract name is part of it; a path needs its terminating NUL.
        let size = (MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2) + path.count + (isAbstract ? 0 : 1)
        withUnsafeMutableBytes(of: &head.sun_path) { $0.copyBytes(from: path) }
        return withUnsafeBytes(of: &head) { Array($0.prefix(size)) }
    }
}
