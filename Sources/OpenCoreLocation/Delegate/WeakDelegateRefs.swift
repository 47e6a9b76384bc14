import Foundation

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
