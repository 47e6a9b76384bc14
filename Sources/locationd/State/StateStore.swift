import Glibc
import LocationHub
import LocationModel
import LocationServer
import Logging
import ServiceLifecycle
import Synchronization
import SystemClock
import SystemSupport

/// Keeps what outlives the daemon in one file of the state directory.
///
/// Ownership: the present state is a value behind one lock, changed by anyone; the file is written under a second
/// lock, by ``run()`` for what can wait and by ``keepSwitch()`` for what its caller must know to be safe. Neither is
/// on the way of a fix.
final class StateStore: Service {
    private let file: AtomicFile
    private let logger: Logger
    private let state: Latest<SavedState>
    private let writing = Mutex(())
    /// Room for the switch's being thrown off on a full disk.
    private let reserve: DiskReserve
    /// Where the sequence begins in this run.
    let sequenceStart: Int64
    /// True if the secret of reduced accuracy is where a restart finds it.
    private let hasKeptSecret: Bool
    /// Why the disk does not give the file, which is then never written over.
    private let unreadable: AtomicFile.Failure?

    /// Reads the state and reserves the first block of sequence numbers.
    ///
    /// A file that is no state is set aside, one that the disk does not give stays, and either is said so. Numbers then
    /// go on from the wall clock, which no earlier run at 64 fixes a second can have passed, and the service is off
    /// unless the file can still be understood so far: who switched it off must not find it on.
    /// - Parameter reducedGrid: the size of the cells of reduced accuracy, metres.
    init(directory: String, reducedGrid: Double, logger: Logger) {
        file = AtomicFile(path: directory + "/state.json")
        reserve = DiskReserve(path: directory + "/state.reserve")
        self.logger = logger
        var state = SavedState()
        var unreadable: AtomicFile.Failure?
        var bytes: [UInt8]?
        do {
            bytes = try file.content()
            if let bytes { state = try SavedState(bytes) }
        } catch {
            unreadable = (error as? AtomicFile.Failure).flatMap { $0.isTooLong ? nil : $0 }
            state = SavedState(replacing: bytes, at: MachineClock.utc)
            var details: Logger.Metadata = ["file": "\(file.path)", "reason": "\(error)"]
            if !state.enabled { details["advice"] = "the service is switched off now; locctl start" }
            logger.log(.stateUnusable, details)
            if unreadable == nil { rename(file.path, file.path + ".unusable") }
        }
        var hasKeptSecret = state.reduction?.size == reducedGrid
        if !hasKeptSecret {
            // Boxed: having no size, it is handed on by no address of its own, which the thread sanitizer calls a race.
            var chance: any RandomNumberGenerator = SystemRandomNumberGenerator()
            state.reduction = ReducedMemory(size: reducedGrid, using: &chance)
        }
        var start = state.sequenceLimit
        state.sequenceLimit += SequenceCounter.blockSize
        do {
            if let unreadable { throw unreadable }
            try file.replace(with: state.encoded())
            hasKeptSecret = true
            reserve.make(bytes: Self.room(for: try state.encoded()))
        } catch {
            logger.log(.stateNotKept, ["reason": "\(error)"])
            start = max(start, MachineClock.utc.seconds * 64)
            state.sequenceLimit = start + SequenceCounter.blockSize
        }
        sequenceStart = start
        self.hasKeptSecret = hasKeptSecret
        self.unreadable = unreadable
        self.state = Latest(state)
    }

    var isEnabled: Bool { state.current.value.enabled }

    /// The last location of an earlier run, if its age can be told.
    var lastLocation: Location? {
        state.current.value.lastLocation(
            now: MachineClock.now, wallClock: MachineClock.utc, bootID: BootID.current)
    }

    /// How accuracy is reduced; `nil` where its secret cannot be kept, since each start would then tell more.
    var reduction: ReducedAccuracy? {
        hasKeptSecret ? state.current.value.reduction.map { ReducedAccuracy($0) } : nil
    }

    func persist(_ reduction: ReducedAccuracy) {
        state.change { $0.reduction = reduction.memory }
    }

    func reserveSequences(upTo limit: Int64) {
        state.change { $0.sequenceLimit = limit }
    }

    func persist(_ location: Location) {
        let age = location.age(at: MachineClock.now)
        state.change { state in
            state.lastLocation = location
            state.bootID = BootID.current
            state.savedAt = MachineClock.utc
            state.ageWhenSaved = age
        }
    }

    func set(enabled: Bool) {
        state.change { $0.enabled = enabled }
    }

    /// - Throws: why the switch will not outlive a restart.
    func keepSwitch() async throws {
        do {
            do {
                try write()
            } catch {
                // On again after a crash is what must not happen; there is no room kept for the other.
                guard !isEnabled, reserve.release() else { throw error }
                try write()
            }
        } catch {
            throw Unkept(description: "it is done, but a restart will not know it: \(error)")
        }
    }

    private struct Unkept: Error, CustomStringConvertible {
        let description: String
    }

    /// Writes what changed, soon after it did, and once more at the end.
    func run() async {
        await cancelWhenGracefulShutdown {
            var seen = 0
            while !Task.isCancelled {
                seen = await self.state.change(after: seen)
                self.writeOrComplain()
            }
        }
        writeOrComplain()
    }

    private func writeOrComplain() {
        do {
            try write()
        } catch {
            logger.log(.stateNotKept, ["reason": "\(error)"])
        }
    }

    private func write() throws {
        if let unreadable { throw unreadable }
        try writing.withLock { _ in
            let bytes = try state.current.value.encoded()
            try file.replace(with: bytes)
            reserve.make(bytes: Self.room(for: bytes))
        }
    }

    /// Whole blocks of a disk for so many bytes.
    private static func room(for bytes: [UInt8]) -> Int { (bytes.count / 4096 + 1) * 4096 }
}

/// What tells one boot of the machine from another.
enum BootID {
    /// `nil` if the system does not say.
    static var current: String? {
        let file = AtomicFile(path: "/proc/sys/kernel/random/boot_id")
        guard let bytes = try? file.content(limit: 64) else { return nil }
        return String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self)
    }
}
