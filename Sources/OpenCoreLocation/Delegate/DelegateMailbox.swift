import Foundation
import LocationKit
import LocationModel
import Synchronization

/// Where news is kept until the manager's thread comes to tell it.
///
/// Ownership: the state is touched by whoever brings news and by the manager's thread, under one lock that is held
/// while nothing is called; the manager and its delegate are held weakly, so nothing is told after their end.
final class DelegateMailbox: Sendable {
    private struct Contents {
        var state = DelegateState()
        /// True while a turn is on its way to the manager's thread.
        var isScheduled = false
    }

    let parties = WeakDelegateRefs()
    private let thread = DelegateThread.current
    /// What a delegate that asks the class while it is called is to ask.
    private let backend = LocationBackend.current
    private let contents = Mutex(Contents())

    /// Changes the state, and sees to it that what is to be told now is told soon.
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

    /// Tells what is due when the turn begins. After each call everything may have changed: the delegate may be
    /// another, the manager gone, and the rest not wanted any more.
    private func turn() {
        let count = contents.withLock { contents in
            contents.isScheduled = false
            return contents.state.calls.count
        }
        for _ in 0..<count {
            guard let manager = parties.manager else { return }
            guard let call = contents.withLock({ $0.state.next() }) else { return }
            LocationBackend.$current.withValue(backend) { manager.make(call, to: parties.delegate) }
        }
    }
}

/// Who calls and who is called, neither kept alive.
///
/// Unchecked: neither is `Sendable`. The references are read and written under the lock; the objects are used by the
/// program, and on the manager's own thread where it made them.
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
