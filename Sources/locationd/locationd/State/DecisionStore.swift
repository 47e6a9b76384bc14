import Authorization
import Glibc
import LocationServer
import Logging
import ServiceLifecycle
import Synchronization
@_spi(Programs) import SystemSupport

/// Keeps requests and decisions in `decisions.json` of the state directory.
///
/// Each table is made from the one before, beginning with the one that ``load()`` returned; their revisions define the
/// order, in whatever order they are passed here. The disk is never older than the latest table for which
/// ``persist(_:)`` returned, and gets the latest table passed at all as soon as it can be written.
///
/// Ownership: the file's state belongs to the holder of `disk`, which is held while the file is read or written. The
/// latest table still to be written is behind its own lock, so that ``remember(_:)`` never waits for the disk. A holder
/// of `disk` may take the other lock, never the reverse.
final class DecisionStore: Service {
    private let file: AtomicFile
    /// Shows whether there was a file before; with `nil`, a missing file always counts as a first start.
    private let seal: DecisionSeal?
    /// Reserved disk space for writing a denial on a full disk.
    private let reserve: DiskReserve?
    private let pause: Duration
    private let logger: Logger
    private let disk = Mutex(Disk())
    private let latest = Latest(DecisionTable())

    private struct Disk {
        /// The latest table that is synced to the disk.
        var table = DecisionTable()
        /// The number of times the file was read.
        var readings = 0
        /// Why the file cannot be read; it is left alone until it can be.
        var fault: String?
    }

    private struct PersistenceError: Error, CustomStringConvertible {
        let description: String
    }

    /// Reads the file, as ``load()`` does.
    ///
    /// - Parameters:
    ///   - isSealed: whether a missing file that existed before counts as unreadable, and whether disk space is
    ///     reserved for the next one.
    ///   - pause: the least time between two writes by ``run()``.
    init(
        directory: String, files: any FileCalls = SystemFileCalls(), isSealed: Bool = false,
        pause: Duration = .seconds(1), logger: Logger
    ) {
        file = AtomicFile(path: directory + "/decisions.json", calls: files)
        seal = isSealed ? DecisionSeal(directory: directory) : nil
        reserve = isSealed ? DiskReserve(path: directory + "/decisions.reserve") : nil
        self.pause = pause
        self.logger = logger
        _ = load()
    }

    /// False while the file cannot be read, so that no decision can be made.
    var isReadable: Bool { disk.withLock { $0.fault == nil } }

    /// Reads the file; tables made from an earlier reading are rejected from then on.
    ///
    /// An unreadable file is reported to the administrator once, and neither written nor moved until a later call can
    /// read it.
    func load() -> Authority.Decisions {
        disk.withLock { disk in
            disk.readings += 1
            do {
                var status = stat()
                if lstat(file.path, &status) == 0, let fault = Ownership.fault(of: status) {
                    throw PersistenceError(description: "it \(fault)")
                }
                let bytes = try file.content(limit: DecisionTable.byteLimit)
                if bytes == nil, seal?.isSet == true { throw PersistenceError(description: "it is missing") }
                disk.table = try bytes.map(DecisionTable.init(decoding:)) ?? DecisionTable()
                disk.table.begin(reading: disk.readings)
                setSeal(isFirstStart: bytes == nil)
                disk.fault = nil
                return .known(disk.table)
            } catch {
                let cause = (error as? AtomicFile.Failure)?.cause ?? "\(error)"
                let advice =
                    seal.map { "restore that file, or remove it and \($0.path) to begin with none," }
                    ?? "restore or remove that file"
                let fault =
                    "the decisions in \(file.path) cannot be read (\(cause)); "
                    + "an administrator can \(advice) and run `locctl reload`"
                if fault != disk.fault {
                    logger.log(.decisionsUnreadable, ["reason": "\(fault)"])
                }
                disk.fault = fault
                return .unreadable(fault)
            }
        }
    }

    /// Returns when the table, or a later one, is synced to the disk. Never blocks the caller's executor.
    ///
    /// - Throws: why it is not persisted. The previous content is still there, or may come back after a power failure.
    ///   The table is tried again with the next one, and when the daemon ends.
    @concurrent
    func persist(_ table: DecisionTable) async throws {
        do {
            try disk.withLock { disk in
                if let fault = disk.fault { throw PersistenceError(description: fault) }
                guard table.revision.reading == disk.readings else {
                    throw PersistenceError(description: "the decisions were reloaded meanwhile; decide again")
                }
                try write(table, to: &disk)
            }
        } catch {
            remember(table)
            throw PersistenceError(description: "the decision is not persisted: \(error)")
        }
    }

    /// Schedules the table to be written soon, unless a later one replaces it.
    func remember(_ table: DecisionTable) {
        latest.change { if table.revision > $0.revision { $0 = table } }
    }

    /// Writes pending tables, and once more at the end.
    func run() async {
        await cancelWhenGracefulShutdown {
            var seen = 0
            while !Task.isCancelled {
                seen = await self.latest.change(after: seen)
                // The sleep ends early when cancelled, which the loop checks.
                if self.writeLatest() { try? await Pause.sleep(for: self.pause) }
            }
        }
        _ = writeLatest()
    }

    /// - Returns: true if there was something to write.
    private func writeLatest() -> Bool {
        disk.withLock { disk in
            let table = latest.current.value
            guard disk.fault == nil, table.revision > disk.table.revision else { return false }
            do {
                try write(table, to: &disk)
            } catch {
                logger.log(.decisionsNotPersisted, ["reason": "\(error)"])
            }
            return true
        }
    }

    /// Sets the seal, after which a missing file counts as lost.
    private func setSeal(isFirstStart: Bool) {
        guard let seal else { return }
        do {
            if isFirstStart { try file.replace(with: DecisionTable().encoded()) }
            let code = seal.set()
            guard code == 0 else {
                throw PersistenceError(description: "cannot write \(seal.path): \(String(cString: strerror(code)))")
            }
            makeReserve(for: 0)
        } catch {
            logger.log(.decisionsNotPersisted, ["reason": "\(error)"])
        }
    }

    private func makeReserve(for size: Int) {
        // Whole disk blocks.
        reserve?.make(bytes: (size / 4096 + 1) * 4096)
    }

    private func write(_ table: DecisionTable, to disk: inout Disk) throws {
        guard table.revision > disk.table.revision else { return }
        let bytes = try table.encoded()
        var failure: AtomicFile.Failure?
        do throws(AtomicFile.Failure) {
            try file.replace(with: bytes)
        } catch {
            failure = error
        }
        if let failure {
            guard !failure.isReplaced, table.revokes(disk.table) else { throw failure }
            try replaceWithoutRoom(with: bytes, after: failure)
        }
        disk.table = table
        makeReserve(for: bytes.count)
    }

    /// Writes a revocation on a full disk, because a revoked grant must not come back after a crash. It releases the
    /// reserve; if that is not enough, it removes the old file, without which nobody has permission.
    private func replaceWithoutRoom(with bytes: [UInt8], after failure: AtomicFile.Failure) throws {
        guard let reserve, seal?.isSet == true else { throw failure }
        if reserve.release(), (try? file.replace(with: bytes)) != nil { return }
        try file.remove()
        try file.replace(with: bytes)
    }
}

/// A marker that a file of decisions existed. If the file is missing then, this is no first start; treating it as one
/// would admit denied clients.
struct DecisionSeal: Sendable {
    let path: String

    /// - Parameter directory: the state directory.
    init(directory: String) {
        path = directory + "/decisions.mark"
    }

    /// Counts as set unless the system reports that it does not exist.
    var isSet: Bool {
        var status = stat()
        return lstat(path, &status) == 0 || errno != ENOENT
    }

    /// Creates the marker and syncs it. An empty file needs no space on a full disk.
    /// - Returns: the errno of the failure, or 0.
    func set() -> Int32 {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        let directory = open(
            String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return errno }
        defer { close(directory) }
        return fsync(descriptor) == 0 && fsync(directory) == 0 ? 0 : errno
    }
}
