import Glibc
import Synchronization

/// The connections of a test's server, each closed by its own thread, all ended by the server.
///
/// Ownership: the threads share it, so that it outlives the server, and one that is closed is off the list before its
/// number can be another's: that one would be ended in its place.
package final class OpenDescriptors: Sendable {
    private let open = Mutex<Set<Int32>>([])

    package init() {}

    package var count: Int { open.withLock { $0.count } }

    /// - Returns: how many are open now.
    @discardableResult
    package func insert(_ descriptor: Int32) -> Int {
        open.withLock { open in
            open.insert(descriptor)
            return open.count
        }
    }

    package func close(_ descriptor: Int32) {
        remove(descriptor)
        Glibc.close(descriptor)
    }

    package func remove(_ descriptor: Int32) {
        open.withLock { _ = $0.remove(descriptor) }
    }

    /// Ends every connection; its thread hears it, and closes it.
    package func shutDown() {
        forEach { shutdown($0, Int32(SHUT_RDWR)) }
    }

    /// None is closed meanwhile.
    package func forEach(_ body: (Int32) -> Void) {
        open.withLock { $0.forEach(body) }
    }
}
