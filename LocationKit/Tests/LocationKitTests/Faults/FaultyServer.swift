import Foundation
import Glibc
import Synchronization
import TestSupport

/// A server at the daemon's socket that sends the same bytes to every client.
final class FaultyServer: Sendable {
    let path: String
    private let listener: Int32
    private let callers = Atomic(0)
    private let isListening = Atomic(true)

    var callerCount: Int { callers.load(ordering: .relaxed) }

    /// - Parameter bytes: the bytes that it sends before it closes the connection.
    init(at path: String, sending bytes: [UInt8]) throws {
        self.path = path
        listener = try SocketFile.listener(at: path)
        Thread.detachNewThread { [listener, weak self] in
            while case let caller = accept(listener, nil, nil), caller >= 0 {
                self?.callers.add(1, ordering: .relaxed)
                var patience = timeval(tv_sec: 5, tv_usec: 0)
                setsockopt(caller, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
                var first: UInt8 = 0
                _ = recv(caller, &first, 1, 0)
                var rest = bytes[...]
                while !rest.isEmpty {
                    let count = rest.withUnsafeBytes { send(caller, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                    guard count > 0 else { break }
                    rest = rest.dropFirst(count)
                }
                close(caller)
            }
            close(listener)
        }
    }

    /// Stops, and links another socket in its place.
    func replace(by other: String) throws {
        end()
        guard unlink(path) == 0, symlink(other, path) == 0 else { throw Failure("no way to \(other)") }
    }

    deinit {
        end()
    }

    /// Only once, because the thread then closes the descriptor, whose number may soon be used again.
    private func end() {
        if isListening.exchange(false, ordering: .relaxed) { shutdown(listener, Int32(SHUT_RDWR)) }
    }
}
