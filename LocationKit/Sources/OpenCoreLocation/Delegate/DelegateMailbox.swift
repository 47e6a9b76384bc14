import Foundation
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import Synchronization

/// Buffers the calls of a delegate until the manager's thread makes them.
///
/// Ownership: the state is changed by any thread and read by the manager's thread, under one lock that is held while
/// nothing is called. The manager and its delegate are held weakly, so they are not called after their release.
final class DelegateMailbox: Sendable {
    private struct Contents {
        var state = DelegateState()
        /// True while a turn is scheduled on the manager's thread.
        var isScheduled = false
    }

    let references = WeakDelegateRefs()
    private let thread = DelegateThread.current
    /// The backend for class methods that a delegate calls while it is called itself.
    private let backend = LocationBackend.current
    private let contents = Mutex(Contents())

    /// Changes the state, and schedules the calls that result.
    func update<Result: Sendable>(_ change: (inout DelegateState) -> Result) -> Result {
        let (result, isDue) = contents.withLock { contents in
            let result = change(&contents.state)
            let isDue = contents.state.calls.count > 0 && !contents.isScheduled
            if isDue { contents.isScheduled = true }
            return (result, isDue)
        }
        if isDue { thread.perform { [weak self] in self?.turn() } }
        return result
    }

    func read<Result: Sendable>(_ body: (DelegateState) -> Result) -> Result {
        contents.withLock { body($0.state) }
    }

    /// Makes the calls that are pending when the turn begins. After each call everything may have changed: another
    /// delegate may be set, the manager released, and the remaining calls removed.
    private func turn() {
        let count = contents.withLock { contents in
            contents.isScheduled = false
            return contents.state.calls.count
        }
        for _ in 0..<count {
            guard let manager = references.manager else { return }
            guard let call = contents.withLock({ $0.state.next() }) else { return }
            LocationBackend.$current.withValue(backend) { manager.make(call, to: references.delegate) }
        }
    }
}

/// Weak references to a manager and its delegate.
///
/// Unchecked: neither is `Sendable`. The references are read and written under the lock; the objects are used by the
/// program, and on the manager's own thread, where the program made them.
final class WeakDelegateRefs: @unchecked Sendable {
    private let lock = NSLock()
    private weak var weakManager: CLLocationManager?
    private weak var weakDelegate: (any CLLocationManagerDelegate)?

    var manager: CLLocationManager? {
        get { lock.withLock { weakManager } }
        set { lock.withLock { weakManager = newValue } }
    }

    var delegate: (any CLLocationManagerDelegate)? {
        get { lock.withLock { weakDelegate } }
        set { lock.withLock { weakDelegate = newValue } }
    }
}
