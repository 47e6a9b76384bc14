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
