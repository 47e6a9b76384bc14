import CLinux
import Glibc

/// A socket that sends messages in the journal's native format.
///
/// It is not connected: each entry goes to the current owner of the path, so that it reaches a restarted journal.
///
/// Ownership: only this object has the descriptor, which never changes; the kernel lets every thread send on it.
package final class JournalSocket: Sendable {
    /// Where the journal listens.
    package static let path = "/run/systemd/journal/socket"

    private let descriptor: Int32
    private let path: String

    /// - Returns: `nil` if no descriptor is left.
    package init?(path: String = JournalSocket.path) {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Sends an entry, in a sealed memfd if it is too big for a datagram. Never waits.
    ///
    /// - Returns: false if the journal is not running or its queue is full.
    package func send(_ entry: JournalEntry) -> Bool {
        entry.bytes.withUnsafeBytes { bytes in
            if clinux_send_datagram(descriptor, path, bytes.baseAddress, bytes.count) == 0 { return true }
            guard errno == EMSGSIZE || errno == ENOBUFS else { return false }
            return clinux_send_sealed(descriptor, path, bytes.baseAddress, bytes.count) == 0
        }
    }
}
