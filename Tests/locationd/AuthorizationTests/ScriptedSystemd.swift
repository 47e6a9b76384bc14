import CSystemd
import Glibc
import Synchronization
@_spi(Programs) import SystemSupport

/// A libsystemd that does what a test says. C functions capture nothing: there is one for the whole process, used by
/// tests that run one after the other.
enum ScriptedSystemd {
    struct Script {
        var state: String? = "active"
        /// Rings for a change. Without it there is no login manager.
        var bell: Waker?
        /// What the functions answer instead, if below zero.
        var flushCode: Int32 = 0
        var descriptorCode: Int32 = 0
        /// Moments of CLOCK_MONOTONIC in microseconds until which to wait, one after the other; never, after the last.
        var deadlines: [UInt64] = []
        var monitors = 0
        var log: [String] = []
    }

    static let script = Mutex(Script())

    static var functions: csystemd {
        csystemd(
            uid_get_state: { _, state in
                let text = ScriptedSystemd.script.withLock { $0.state }
                state?.pointee = text.flatMap { strdup($0) }
                return 0
            },
            login_monitor_new: { _, monitor in
                ScriptedSystemd.script.withLock { script in
                    guard script.bell != nil else { return -ENOENT }
                    script.monitors += 1
                    monitor?.pointee = OpaquePointer(bitPattern: 1)
                    return 0
                }
            },
            login_monitor_unref: { _ in
                ScriptedSystemd.script.withLock { $0.monitors -= 1 }
                return nil
            },
            login_monitor_flush: { _ in
                ScriptedSystemd.script.withLock { script in
                    guard script.flushCode >= 0 else { return script.flushCode }
                    script.log.append("flushed")
                    var count: UInt64 = 0
                    _ = read(script.bell?.descriptor ?? -1, &count, 8)
                    return 0
                }
            },
            login_monitor_get_fd: { _ in
                ScriptedSystemd.script.withLock { script in
                    guard script.descriptorCode >= 0 else { return script.descriptorCode }
                    return script.bell?.descriptor ?? -1
                }
            },
            login_monitor_get_events: { _ in POLLIN },
            login_monitor_get_timeout: { _, deadline in
                ScriptedSystemd.script.withLock { script in
                    deadline?.pointee = script.deadlines.isEmpty ? .max : script.deadlines.removeFirst()
                    return 0
                }
            })
    }
}
