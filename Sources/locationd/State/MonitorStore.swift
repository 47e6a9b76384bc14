import Glibc
import LocationHub
import LocationModel
import LocationServer
import Logging
import Synchronization
import SystemClock
import SystemSupport

/// Keeps what is monitored under names, and what was told of it, in `monitors.json` of the state directory.
///
/// Ownership: the file is read once, at the start, and written by who holds the lock; the server has one writing at a
/// time under way, and begins the next with what is newest then.
final class MonitorStore: Sendable {
    private let file: AtomicFile
    private let logger: Logger
    private let writing = Mutex(EncodedMonitors())

    init(directory: String, files: any FileCalls = SystemFileCalls(), logger: Logger) {
        file = AtomicFile(path: directory + "/monitors.json", calls: files)
        self.logger = logger
    }

    /// What an earlier run has kept. A file that cannot be read is set aside and said so.
    func load() -> [PersistedMonitor] {
        do {
            guard let bytes = try file.content(limit: SavedMonitors.byteLimit) else { return [] }
            return try SavedMonitors(bytes)
                .monitors(now: MachineClock.now, wallClock: MachineClock.utc, bootID: BootID.current)
        } catch {
            logger.log(.stateUnusable, ["file": "\(file.path)", "reason": "\(error)"])
            rename(file.path, file.path + ".unusable")
            return []
        }
    }

    /// Returns when the monitors outlive a power failure. Never blocks the caller's executor.
    ///
    /// - Throws: why they are not kept.
    @concurrent
    func persist(_ monitors: [PersistedMonitor]) async throws {
        try writing.withLock { pieces in
            let saved = SavedMonitors(
                monitors, bootID: BootID.current, savedAt: MachineClock.utc, monotonicTime: MachineClock.now)
            try file.replace(with: saved.encoded(reusing: &pieces))
        }
    }
}
