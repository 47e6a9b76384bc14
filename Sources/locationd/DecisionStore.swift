import Authorization
import Logging
import Machine
import ServiceLifecycle
import Synchronization

/// Keeps who asked and what was decided, in `decisions.json` of the state directory.
///
/// Tables are given in the order in which they were made, each made from the one before. What is on the disk is never
/// older than the newest table that ``keep(_:)`` returned for.
///
/// Ownership: what is on the disk belongs to who holds `disk`, which is held while the file is written; the table to
/// be remembered lies behind a lock of its own, so that ``remember(_:)`` never waits for the disk. Whoever has `disk`
/// may take the other, never the reverse.
final class DecisionStore: Service {
    private let file: AtomicFile
    private let pause: Duration
    private let logger: Logger
    private let disk = Mutex(Disk())
    private let given = Latest(Given())

    private struct Disk {
        /// The table that is there, or is to be again, and its number.
        var table = DecisionTable()
        var number = 0
        /// Tables up to this number were given before the file was last read.
        var readNumber = 0
        /// True while a later table may be there, of which was said that it is not kept.
        var isUnsure = false
        /// Why the file cannot be read; it is left alone until it can.
        var fault: String?
    }

    private struct Given {
        /// How many tables were given or read.
        var count = 0
        var remembered: (table: DecisionTable, number: Int)?
    }

    private struct Unkept: Error, CustomStringConvertible {
        let description: String
    }

    /// Reads the file, as ``load()`` does.
    ///
    /// - Parameter pause: at least this long between two writes of what ``remember(_:)`` was given.
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

    /// Reads the file; what was to be remembered before is forgotten.
    ///
    /// A file that cannot be read is told to the administrator once, and neither written nor moved until a later call
    /// can read it.
    func load() -> Authority.Decisions {
        disk.withLock { disk in
            disk.number = nextNumber()
            disk.readNumber = disk.number
            do {
                let bytes = try file.content(limit: DecisionTable.byteLimit)
                disk.table = try bytes.map(DecisionTable.init(decoding:)) ?? DecisionTable()
                disk.fault = nil
                return .known(disk.table)
            } catch {
                let cause = (error as? AtomicFile.Failure)?.cause ?? "\(error)"
                let fault =
                    "the decisions in \(file.path) cannot be read (\(cause)); "
                    + "an administrator can restore or remove that file and run `locctl reload`"
                if fault != disk.fault {
                    logger.critical(
                        "who may know the position cannot be told; all but root and the daemon's user are refused",
                        metadata: ["reason": "\(fault)"])
                }
                disk.fault = fault
                return .unreadable(fault)
            }
        }
    }

    /// Returns when the table, or a later one, outlives a power failure. Never blocks the caller's executor.
    ///
    /// - Throws: why it is not kept; the disk then has the table before, or ``run()`` brings it back.
    @concurrent
    func keep(_ table: DecisionTable) async throws {
        let number = nextNumber()
        do {
            try disk.withLock { disk in
                if let fault = disk.fault { throw Unkept(description: fault) }
                guard number > disk.readNumber else {
                    throw Unkept(description: "the decisions were read again meanwhile; try again")
                }
                guard number > disk.number else { return }
                // The bell: what may be there by mistake is taken back.
                defer { if disk.isUnsure { given.change { _ in } } }
                try write(table, number, to: &disk)
            }
        } catch {
            throw Unkept(description: "the decision is not kept: \(error)")
        }
    }

    /// Has the table written soon, unless a later one is by then.
    func remember(_ table: DecisionTable) {
        given.change { given in
            given.count += 1
            given.remembered = (table, given.count)
        }
    }

    /// Writes what is to be remembered, and once more at the end.
    func run() async {
        await cancelWhenGracefulShutdown {
            var seen = 0
            while !Task.isCancelled {
                seen = await self.given.change(after: seen)
                // The sleep ends early when cancelled, of which the loop takes care.
                if self.writeRemembered() { try? await Task.sleep(for: self.pause) }
            }
        }
        _ = writeRemembered()
    }

    /// - Returns: true if there was something to write.
    private func writeRemembered() -> Bool {
        do {
            return try disk.withLock { disk in
                guard disk.fault == nil else { return false }
                if let (table, number) = given.current.value.remembered, number > disk.number {
                    try write(table, number, to: &disk)
                    return true
                }
                guard disk.isUnsure else { return false }
                try write(disk.table, disk.number, to: &disk)
                return true
            }
        } catch {
            logger.error(
                "who asked to know the position cannot be kept; a restart will not know it",
                metadata: ["reason": "\(error)"])
            return true
        }
    }

    private func write(_ table: DecisionTable, _ number: Int, to disk: inout Disk) throws {
        do {
            try file.replace(with: table.encoded())
        } catch let failure as AtomicFile.Failure {
            if failure.isReplaced { disk.isUnsure = true }
            throw failure
        }
        disk.table = table
        disk.number = number
        disk.isUnsure = false
    }

    private func nextNumber() -> Int {
        var number = 0
        given.change { given in
            given.count += 1
            number = given.count
        }
        return number
    }
}
