import CSystemd
import Glibc
import Synchronization
import SystemSupport

/// Who has a login session on this machine at present: the ground of the authorization "when in use".
///
/// Whatever goes wrong, nobody is in use: a missing library, a machine without login manager, a record that cannot be
/// read.
package protocol LoginSessions: Sendable {
    /// Whether a login manager can be asked here. For explanations: without one nobody is ever in use.
    var isPresent: Bool { get }

    /// Whether the user has an active session now: one in the foreground of its seat, or one without a seat, as over
    /// ssh. Sessions in the background, lingering services and logins that are ending do not count.
    ///
    /// Reads one small file in memory: it takes microseconds and any thread may call it.
    func isActive(_ uid: UInt32) -> Bool

    /// Calls `changed`, from a thread of its own, whenever the answer of ``isActive(_:)`` may have become another for
    /// any user. Many changes at once may be one call, and a call may turn out to have had no reason; an answer asked
    /// for in the call or after it is no older than the change. Changes from before this returns are not told: observe
    /// first, then ask.
    ///
    /// - Returns: what keeps the observation up; it ends when that is released. `nil` if there is no login manager to
    ///   observe, or no thread or descriptor left. Whoever gets `nil` takes nobody to be in use, and asks again when
    ///   somebody connects to whom it matters: a login manager may start after the daemon.
    func observe(_ changed: @escaping @Sendable () -> Void) -> LoginObservation?
}

/// Keeps an observation of login sessions up for as long as somebody holds it.
package final class LoginObservation: Sendable {
    private let end: @Sendable () -> Void

    /// - Parameter end: ends the observation. It may be called more than once, from any thread, and does not block.
    package init(end: @escaping @Sendable () -> Void) {
        self.end = end
    }

    deinit {
        end()
    }

    /// Ends the observation; afterwards at most a call that was under way comes to its end. May be called more than
    /// once, and from within such a call.
    package func cancel() {
        end()
    }
}

/// The login sessions that systemd-logind keeps record of, as libsystemd reads them.
///
/// The library is loaded by the first question, which takes about a millisecond; until then this costs nothing.
///
/// Ownership: the functions are found once and replaced by nothing else but `missing`, by whichever thread asks first
/// or sees them fail, under a lock held for the loading only. Each observation has its monitor and its thread,
/// `login-watch`, to itself.
package final class SystemdLogin: LoginSessions {
    private enum Library {
        case unloaded(name: String)
        case loaded(csystemd)
        case missing
    }

    /// Where systemd-logind keeps its records of users: it is there from the first start of logind until the machine
    /// goes down.
    private static let directory = "/run/systemd/users"

    private let library: Mutex<Library>
    private let directory: String

    /// - Parameter name: of the shared library, as dlopen(3) takes it.
    package init(library name: String = "libsystemd.so.0") {
        library = Mutex(.unloaded(name: name))
        directory = Self.directory
    }

    init(functions: csystemd, directory: String) {
        library = Mutex(.loaded(functions))
        self.directory = directory
    }

    package var isPresent: Bool {
        // A monitor for a moment would answer that too, but the kernel takes milliseconds to close one.
        functions != nil && access(directory, F_OK) == 0
    }

    package func isActive(_ uid: UInt32) -> Bool {
        var state: UnsafeMutablePointer<CChar>?
        guard let code = functions?.uid_get_state?(uid, &state), code >= 0, let state else { return false }
        defer { free(state) }
        return strcmp(state, "active") == 0
    }

    package func observe(_ changed: @escaping @Sendable () -> Void) -> LoginObservation? {
        guard let monitor = functions.flatMap(LoginMonitor.init), let waker = Waker() else { return nil }
        let watch = LoginWatch(monitor: monitor, waker: waker, changed: changed)
        let isStarted = DetachedThread.start(named: "login-watch") {
            guard watch.run() == .failed else { return }
            // Who cannot be seen to leave must not be taken to be here.
            self.library.withLock { $0 = .missing }
            changed()
        }
        return isStarted ? LoginObservation { waker.wake() } : nil
    }

    private var functions: csystemd? {
        library.withLock { library in
            if case .unloaded(let name) = library {
                var functions = csystemd()
                library = csystemd_load(name, &functions) == 0 ? .loaded(functions) : .missing
            }
            guard case .loaded(let functions) = library else { return nil }
            return functions
        }
    }
}
