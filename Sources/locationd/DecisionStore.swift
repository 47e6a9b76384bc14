import Authorization
import Glibc
import LocationServer
import Logging
import Machine
import ServiceLifecycle
import Synchronization

/// Keeps who asked and what was decided, in `decisions.json` of the state directory.
///
/// Each table is made from the one before, beginning with the one that ``load()`` returned; their revisions tell the
/// order, in whatever order they are given here. What is on the disk is never older than the latest table that
/// ``keep(_:)`` returned for, and becomes the latest that was given at all as soon as the disk takes it.
///
/// Ownership: what is on the disk belongs to who holds `disk`, which is held while the file is read or written; the
/// latest table that has yet to be written lies behind a lock of its own, so that ``remember(_:)`` never waits for the
/// disk. Whoever has `disk` may take the other, never the reverse.
final class DecisionStore: Service {
    private let file: AtomicFile
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
    /// - Parameter pause: at least this long between two writes by ``run()``.
    init(
        directory: String, files: any FileCalls = SystemFileCalls(), pause: Duration = .seconds(1), logger: Logger
    ) {
        file = AtomicFile(path: directory + "/decisions.json", calls: files)
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
                disk.table = try bytes.map(DecisionTable.init(decoding:)) ?? DecisionTable()
                disk.table.begin(reading: disk.readings)
                disk.fault = nil
                return .known(disk.table)
            } catch {
                let cause = (error as? AtomicFile.Failure)?.cause ?? "\(error)"
                let fault =
                    "the decisions in \(file.path) cannot be read (\(cause)); "
                    + "an administrator can restore or remove that file and run `locctl reload`"
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
    func keep(_ table: DecisionTable) async throws {
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

    private func write(_ table: DecisionTable, to disk: inout Disk) throws {
        guard table.revision > disk.table.revision else { return }
        try file.replace(with: table.encoded())
        disk.table = table
    }
}
