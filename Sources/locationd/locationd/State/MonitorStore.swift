import Glibc
import LocationHub
@_spi(Programs) import LocationModel
import LocationServer
import Logging
import Synchronization
@_spi(Programs) import SystemSupport

/// Keeps the named monitors, and the states already reported for them, in `monitors.json` of the state directory.
///
/// Ownership: the file is read once, at the start, and written by the holder of the lock. The server has one write at a
/// time in progress, and begins the next with the newest state.
final class MonitorStore: Sendable {
    private let file: AtomicFile
    private let logger: Logger
    private let writing = Mutex(EncodedMonitors())

    init(directory: String, files: any FileCalls = SystemFileCalls(), logger: Logger) {
        file = AtomicFile(path: directory + "/monitors.json", calls: files)
        self.logger = logger
    }

    /// The monitors of an earlier run. An unreadable file is moved aside, which is logged.
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

    /// Returns when the monitors are synced to the disk. Never blocks the caller's executor.
    ///
    /// - Throws: why they are not persisted.
    @concurrent
    func persist(_ monitors: [PersistedMonitor]) async throws {
        try writing.withLock { pieces in
            let saved = SavedMonitors(
                monitors, bootID: BootID.current, savedAt: MachineClock.utc, monotonicTime: MachineClock.now)
            try file.replace(with: saved.encoded(reusing: &pieces))
        }
    }
}
