import CLinux
import Glibc
import SystemSupport

/// Takes note of processes whose end somebody is told of.
package protocol ProcessEnds: AnyObject {
    /// - Returns: false if this one's end will not be told.
    func watch(_ process: ProcessDescriptor, as number: Int) -> Bool
}

/// Tells when processes end. However many there are, one thread waits for all of them and costs nothing meanwhile.
///
/// Ownership: the set of descriptors to wait for is the kernel's own and safe from every thread; this object and the
/// thread both hold it, and the later of them closes it. Each process's descriptor is its owner's: one that is closed
/// leaves the set by itself. The bell that stops the thread rings when this object goes. Nothing else is kept.
package final class ProcessWatch: ProcessEnds, Sendable {
    private let set: WaitingSet
    private let bell: Waker

    /// Starts to wait.
    ///
    /// - Parameter ended: called on the waiting thread with the number a process was given, once for each that ends.
    ///   The number of a process whose descriptor has just been closed may still be told.
    /// - Returns: `nil` if no descriptor or no thread is left.
    package init?(ended: @escaping @Sendable (Int) -> Void) {
        guard let set = WaitingSet(), let bell = Waker(), set.add(bell.descriptor, as: Self.stop, once: false),
            DetachedThread.start(named: "process-watch", { Self.wait(set, bell, ended) })
        else { return nil }
        self.set = set
        self.bell = bell
    }

    deinit {
        bell.wake()
    }

    /// Waits for the end of a process; one that has ended already is told at once.
    ///
    /// - Parameter number: 0 or more.
    /// - Returns: false if the number is negative, the descriptor is watched already, the system allows no more or the
    ///   waiting is over.
    package func watch(_ process: ProcessDescriptor, as number: Int) -> Bool {
        number >= 0 && !bell.isWoken && set.add(process.descriptor, as: UInt64(number), once: true)
    }

    /// Ends the waiting; no process is told any more once the one being told, if any, is over.
    package func stop() {
        bell.wake()
    }

    /// Beyond every number of a process.
    private static let stop = UInt64.max

    /// The thread's whole life. It holds the bell, whose descriptor has to be in the set as long as it waits.
    private static func wait(_ set: WaitingSet, _ bell: Waker, _ ended: (Int) -> Void) {
        while let tags = set.wait() {
            for tag in tags {
                guard tag != stop, !bell.isWoken else { return }
                ended(Int(truncatingIfNeeded: tag))
            }
        }
    }
}

/// A process, known by a descriptor of the kernel's: it means the same process when that is long gone and its number
/// is another's. It can be read from once the process has ended.
///
/// Ownership: the descriptor is this object's alone and is closed with it.
package final class ProcessDescriptor: Sendable {
    package let descriptor: Int32

    package init(owning descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }
}

/// Descriptors that one thread waits for together, in the kernel's keeping.
///
/// Ownership: the set's own descriptor is this object's alone; what is in the set is not owned.
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

    /// - Parameter once: whether the tag is told the first time alone.
    /// - Returns: false if it is in the set already or cannot be waited for.
    func add(_ other: Int32, as tag: UInt64, once: Bool) -> Bool {
        clinux_epoll_add(descriptor, other, tag, once ? 1 : 0) == 0
    }

    /// Waits until something in the set can be read.
    ///
    /// - Returns: the tags of what can, or `nil` if there is nothing to wait with.
    func wait() -> [UInt64]? {
        var tags = [UInt64](repeating: 0, count: 64)
        while true {
            let count = clinux_epoll_wait(descriptor, &tags, Int32(tags.count))
            if count >= 0 { return Array(tags.prefix(Int(count))) }
            guard errno == EINTR else { return nil }
        }
    }
}
