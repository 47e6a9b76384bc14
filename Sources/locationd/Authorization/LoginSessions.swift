import CSystemd
import Glibc
import Synchronization
@_spi(Programs) import SystemSupport

/// The users with an active login session on this machine, which the authorization "when in use" requires.
///
/// After any failure nobody counts as active: a missing library, a machine without login manager, a record that cannot
/// be read.
package protocol LoginSessions: Sendable {
    /// Whether there is a login manager. For explanations: without one no user is ever active.
    var isPresent: Bool { get }

    /// Whether the user has an active session now: one in the foreground of its seat, or one without a seat, as over
    /// ssh. Background sessions, lingering services and closing logins do not count.
    ///
    /// Reads one small file in memory, which takes microseconds. Any thread may call it.
    func isActive(_ uid: UInt32) -> Bool

    /// Calls `changed`, on its own thread, whenever the result of ``isActive(_:)`` may have changed for any user.
    /// Several changes may cause one call, and a call may be spurious. A result of ``isActive(_:)`` during the call or
    /// after it is no older than the change. Changes before this method returns are not reported: observe first, then
    /// query.
    ///
    /// - Returns: the observation, which ends when it is released; `nil` if there is no login manager, thread or
    ///   descriptor. A caller that gets `nil` treats no user as active, and tries again when a client connects whose
    ///   permission depends on it: a login manager may start after the daemon.
    func observe(_ changed: @escaping @Sendable () -> Void) -> LoginObservation?
}

/// Observes login sessions until it is released.
package final class LoginObservation: Sendable {
    private let end: @Sendable () -> Void

    /// - Parameter end: ends the observation. It may be called more than once, from any thread, and does not block.
    package init(end: @escaping @Sendable () -> Void) {
        self.end = end
    }

    deinit {
        end()
    }

    /// Ends the observation; a call of `changed` that is in progress may still finish. May be called more than once,
    /// also from `changed`.
    package func cancel() {
        end()
    }
}

/// The login sessions of systemd-logind, read with libsystemd.
///
/// The library is loaded by the first query, which takes about a millisecond.
///
/// Ownership: the functions are loaded once, and replaced only by `missing`, by the thread that queries first or sees
/// them fail, under a lock held for the loading only. Each observation has its own monitor and its own thread,
/// `login-watch`.
package final class SystemdLogin: LoginSessions {
    private enum Library {
        case unloaded(name: String)
        case loaded(csystemd)
        case missing
    }

    /// The directory of systemd-logind's records of users: it exists from the first start of logind until shutdown.
    private static let directory = "/run/systemd/users"

    private let library: Mutex<Library>
    private let directory: String

    /// - Parameter name: the name of the shared library, for dlopen(3).
    package init(library name: String = "libsystemd.so.0") {
        library = Mutex(.unloaded(name: name))
        directory = Self.directory
    }

    init(functions: csystemd, directory: String) {
        library = Mutex(.loaded(functions))
        self.directory = directory
    }

    package var isPresent: Bool {
        // Opening a monitor would answer that too, but the kernel takes milliseconds to close one.
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
            // A user whose logout cannot be observed must not count as active.
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
