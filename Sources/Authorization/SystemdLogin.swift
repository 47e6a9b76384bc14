import CSystemd
import Glibc
import Synchronization
import SystemSupport

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
