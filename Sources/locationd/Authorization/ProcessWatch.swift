import CLinux
import Glibc
@_spi(Programs) import SystemSupport

/// Watches processes and reports their end.
package protocol ProcessEnds: AnyObject {
    /// - Returns: false if the end of this process will not be reported.
    func watch(_ process: ProcessDescriptor, as number: Int) -> Bool
}

/// Reports when processes end. One thread waits for all of them and uses no CPU time meanwhile.
///
/// Ownership: the epoll set is safe to use from every thread; this object and the thread both hold it, and the later
/// one closes it. Each process's descriptor belongs to its owner; a closed one leaves the set by itself. Releasing this
/// object wakes and stops the thread. There is no other state.
package final class ProcessWatch: ProcessEnds, Sendable {
    private let set: WaitingSet
    private let waker: Waker

    /// Starts to wait.
    ///
    /// - Parameter ended: called on the waiting thread, once for each process that ends, with the number given to it.
    ///   The number of a process whose descriptor has just been closed may still be reported.
    /// - Returns: `nil` if no descriptor or no thread is left.
    package init?(ended: @escaping @Sendable (Int) -> Void) {
        guard let set = WaitingSet(), let waker = Waker(), set.add(waker.descriptor, as: Self.stop, once: false),
            DetachedThread.start(named: "process-watch", { Self.wait(set, waker, ended) })
        else { return nil }
        self.set = set
        self.waker = waker
    }

    deinit {
        waker.wake()
    }

    /// Watches for the end of a process; one that has ended already is reported at once.
    ///
    /// - Parameter number: 0 or more.
    /// - Returns: false if the number is negative, the descriptor is watched already, the system allows no more or the
    ///   watch has stopped.
    package func watch(_ process: ProcessDescriptor, as number: Int) -> Bool {
        number >= 0 && !waker.isWoken && set.add(process.descriptor, as: UInt64(number), once: true)
    }

    /// Stops the watch; after a call of `ended` that is in progress no process is reported.
    package func stop() {
        waker.wake()
    }

    /// Greater than every number of a process.
    private static let stop = UInt64.max

    /// The thread's body. It holds the waker, whose descriptor must be open as long as it is in the set.
    private static func wait(_ set: WaitingSet, _ waker: Waker, _ ended: (Int) -> Void) {
        while let tags = set.wait() {
            for tag in tags {
                guard tag != stop, !waker.isWoken else { return }
                ended(Int(truncatingIfNeeded: tag))
            }
        }
    }
}

/// A process, identified by a pidfd: it means the same process even when its pid is reused. It becomes readable when
/// the process ends.
///
/// Ownership: the descriptor belongs to this object alone and is closed with it.
package final class ProcessDescriptor: Sendable {
    package let descriptor: Int32

    package init(owning descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Whether the process has ended.
    package var hasEnded: Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) != 0
    }

    deinit {
        close(descriptor)
    }
}

/// An epoll set of descriptors that one thread waits for.
///
/// Ownership: the set's own descriptor belongs to this object alone; the descriptors in the set are not owned.
final class WaitingSet: Sendable {
    private let descriptor: Int32

    /// - Returns: `nil` if no descriptor is left.
    init?() {
        descriptor = clinux_epoll()
        guard descriptor >= 0 else { return nil }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// - Parameter once: whether the tag is reported only the first time.
    /// - Returns: false if the descriptor is in the set already or cannot be waited for.
    func add(_ other: Int32, as tag: UInt64, once: Bool) -> Bool {
        clinux_epoll_add(descriptor, other, tag, once ? 1 : 0) == 0
    }

    /// Waits until a descriptor in the set is readable.
    ///
    /// - Returns: the tags of the readable descriptors, or `nil` if waiting failed.
    func wait() -> [UInt64]? {
        var tags = [UInt64](repeating: 0, count: 64)
        while true {
            let count = clinux_epoll_wait(descriptor, &tags, Int32(tags.count))
            if count >= 0 { return Array(tags.prefix(Int(count))) }
            guard errno == EINTR else { return nil }
        }
    }
}
