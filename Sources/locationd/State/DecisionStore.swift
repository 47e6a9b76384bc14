import Authorization
import Glibc
import LocationServer
import Logging
import ServiceLifecycle
import Synchronization
import SystemSupport

/// Keeps who asked and what was decided, in `decisions.json` of the state directory.
///
/// Each table is made from the one before, beginning with the one that ``load()`` returned; their revisions tell the
/// order, in whatever order they are given here. What is on the disk is never older than the latest table that
/// ``persist(_:)`` returned for, and becomes the latest that was given at all as soon as the disk takes it.
///
/// Ownership: what is on the disk belongs to who holds `disk`, which is held while the file is read or written; the
/// latest table that has yet to be written lies behind a lock of its own, so that ``remember(_:)`` never waits for the
/// disk. Whoever has `disk` may take the other, never the reverse.
final class DecisionStore: Service {
    private let file: AtomicFile
    /// Whether there has been a file; `nil` takes a missing one for a first start each time.
    private let seal: DecisionSeal?
    /// Room for a denial on a full disk.
    private let reserve: DiskReserve?
    private let pause: Duration
    private let logger: Logger
    private let disk = Mutex(Disk())
    private let latest = Latest(DecisionTable())

    private struct Disk {
        /// The latest table that outlives a power failure.
        var table = DecisionTable()
        /// How often the file was read.
        var readings = 0
        /// Why the file cannot be read; it is left alone until it can.
        var fault: String?
    }

    private struct Unkept: Error, CustomStringConvertible {
        let description: String
    }

    /// Reads the file, as ``load()`` does.
    ///
    /// - Parameters:
    ///   - isSealed: whether a file that was there once and is gone counts as one that cannot be read, and room is kept for
    ///     the next one.
    ///   - pause: at least this long between two writes by ``run()``.
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

    /// False while the file's fault stands in the way of every decision.
    var isReadable: Bool { disk.withLock { $0.fault == nil } }

    /// Reads the file; tables made from an earlier reading are then no longer taken.
    ///
    /// A file that cannot be read is told to the administrator once, and neither written nor moved until a later call
    /// can read it.
    func load() -> Authority.Decisions {
        disk.withLock { disk in
            disk.readings += 1
            do {
                var status = stat()
                if lstat(file.path, &status) == 0, let fault = Ownership.fault(of: status) {
                    throw Unkept(description: "it \(fault)")
                }
                let bytes = try file.content(limit: DecisionTable.byteLimit)
                if bytes == nil, seal?.isSet == true { throw Unkept(description: "it is gone") }
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

    /// Returns when the table, or a later one, outlives a power failure. Never blocks the caller's executor.
    ///
    /// - Throws: why it is not kept. What the file had is still there, or may come back with a power failure; the
    ///   table is tried again with the next one, and when the daemon ends.
    @concurrent
    func persist(_ table: DecisionTable) async throws {
        do {
            try disk.withLock { disk in
                if let fault = disk.fault { throw Unkept(description: fault) }
                guard table.revision.reading == disk.readings else {
                    throw Unkept(description: "the decisions were read again meanwhile; decide again")
                }
                try write(table, to: &disk)
            }
        } catch {
            remember(table)
            throw Unkept(description: "the decision is not kept: \(error)")
        }
    }

    /// Has the table written soon, unless a later one is by then.
    func remember(_ table: DecisionTable) {
        latest.change { if table.revision > $0.revision { $0 = table } }
    }

    /// Writes what has yet to be written, and once more at the end.
    func run() async {
        await cancelWhenGracefulShutdown {
            var seen = 0
            while !Task.isCancelled {
                seen = await self.latest.change(after: seen)
                // The sleep ends early when cancelled, of which the loop takes care.
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
                logger.log(.decisionsNotKept, ["reason": "\(error)"])
            }
            return true
        }
    }

    /// From here on a missing file is one that was lost.
    private func setSeal(isFirstStart: Bool) {
        guard let seal else { return }
        do {
            if isFirstStart { try file.replace(with: DecisionTable().encoded()) }
            let code = seal.set()
            guard code == 0 else {
                throw Unkept(description: "cannot write \(seal.path): \(String(cString: strerror(code)))")
            }
            makeReserve(for: 0)
        } catch {
            logger.log(.decisionsNotKept, ["reason": "\(error)"])
        }
    }

    private func makeReserve(for size: Int) {
        // Whole blocks of a disk.
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

    /// What was granted must not come back with a crash: the reserve is given back for it, and where that is not enough the
    /// old file is removed, without which nobody may know.
    private func replaceWithoutRoom(with bytes: [UInt8], after failure: AtomicFile.Failure) throws {
        guard let reserve, seal?.isSet == true else { throw failure }
        if reserve.release(), (try? file.replace(with: bytes)) != nil { return }
        try file.remove()
        try file.replace(with: bytes)
    }
}

/// The mark that there has been a file of decisions: one that is gone is then no sign of a first start, and to take it for one
/// would let in whom an administrator has denied.
struct DecisionSeal: Sendable {
    let path: String

    /// - Parameter directory: the state directory.
    init(directory: String) {
        path = directory + "/decisions.mark"
    }

    /// Anything but the system's word that there is none counts as one.
    var isSet: Bool {
        var status = stat()
        return lstat(path, &status) == 0 || errno != ENOENT
    }

    /// Sets it where a power failure leaves it. An empty file needs no room on a full disk.
    /// - Returns: the system's number of what failed, or 0.
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
