import Glibc
import Synchronization

/// Writes lines to an output that may have no reader: lines that cannot be written at once are lost, and their number
/// is reported once there is room again. A daemon never waits for its log.
///
/// Ownership: writers hold the lock, so that lines of several threads do not interleave. The descriptor is not owned.
package final class LogLines: Sendable {
    private struct State {
        var lost = 0
        /// The last line was truncated.
        var isCut = false
    }

    /// A writable pipe accepts at least this many bytes at once.
    private static let portion = 4096

    private let descriptor: Int32
    private let prefix: String
    private let state = Mutex(State())

    /// - Parameter prefix: the beginning of a line that reports lost ones.
    package init(_ descriptor: Int32, prefix: String) {
        self.descriptor = descriptor
        self.prefix = prefix
    }

    package func write(_ line: String) {
        state.withLock { state in
            if state.lost > 0,
                put("\(prefix)\(state.lost) lines of the log were dropped, because its reader was too slow", &state)
            {
                state.lost = 0
            }
            if state.lost > 0 || !put(line, &state) { state.lost += 1 }
        }
    }

    /// - Returns: false if there was not enough room for all of it.
    private func put(_ line: String, _ state: inout State) -> Bool {
        var rest = Array(((state.isCut ? "\n" : "") + line + "\n").utf8)[...]
        let length = rest.count
        while !rest.isEmpty {
            var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard poll(&entry, 1, 0) > 0 else { break }
            let count = rest.prefix(Self.portion).withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        if rest.count < length { state.isCut = !rest.isEmpty }
        return rest.isEmpty
    }
}
