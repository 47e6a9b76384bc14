import Glibc
import LocationHub
@_spi(Programs) import LocationModel
import LocationServer
import Logging
import ServiceLifecycle
import Synchronization
@_spi(Programs) import SystemSupport

/// Keeps the persisted state in one file of the state directory.
///
/// Ownership: the present state is a value behind one lock, which any thread may change. The file is written under a
/// second lock: by ``run()`` for changes that can wait, and by ``persistSwitch()`` for those whose caller needs the
/// result. Neither delays a fix.
final class StateStore: Service {
    private let file: AtomicFile
    private let logger: Logger
    private let state: Latest<SavedState>
    private let writing = Mutex(())
    /// Reserved disk space for switching the service off on a full disk.
    private let reserve: DiskReserve
    /// The sequence numbers of this run begin after this one.
    let sequenceStart: Int64
    /// True if the secret of reduced accuracy is persisted.
    private let hasPersistedSecret: Bool
    /// Why the disk cannot read the file, which is then never overwritten.
    private let unreadable: AtomicFile.Failure?

    /// Reads the state and reserves the first block of sequence numbers.
    ///
    /// A file with invalid content is moved aside, one that the disk cannot read stays, and either is logged. Sequence
    /// numbers then continue from the wall clock, which no earlier run at 64 fixes a second can have passed. The
    /// service is off unless the file's switch can still be read: a service that was switched off must not be on after
    /// a disk fault.
    /// - Parameter reducedGrid: the size of the grid cells of reduced accuracy, metres.
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
        var hasPersistedSecret = state.reduction?.size == reducedGrid
        if !hasPersistedSecret {
            // Boxed: a generator of zero size has no address of its own, which the thread sanitizer reports as a race.
            var chance: any RandomNumberGenerator = SystemRandomNumberGenerator()
            state.reduction = ReducedMemory(size: reducedGrid, using: &chance)
        }
        var start = state.sequenceLimit
        state.sequenceLimit += SequenceCounter.blockSize
        do {
            if let unreadable { throw unreadable }
            try file.replace(with: state.encoded())
            hasPersistedSecret = true
            reserve.make(bytes: Self.room(for: try state.encoded()))
        } catch {
            logger.log(.stateNotPersisted, ["reason": "\(error)"])
            start = max(start, MachineClock.utc.seconds * 64)
            state.sequenceLimit = start + SequenceCounter.blockSize
        }
        sequenceStart = start
        self.hasPersistedSecret = hasPersistedSecret
        self.unreadable = unreadable
        self.state = Latest(state)
    }

    var isEnabled: Bool { state.current.value.enabled }

    /// The names of the sources that are switched off.
    var switchedOffSources: Set<String> { Set(state.current.value.switchedOffSources ?? []) }

    /// The last location of an earlier run, if its age is known.
    var lastLocation: Location? {
        state.current.value.lastLocation(
            now: MachineClock.now, wallClock: MachineClock.utc, bootID: BootID.current)
    }

    /// The state of reduced accuracy; `nil` if its secret cannot be persisted, because each start would then reveal
    /// more.
    var reduction: ReducedAccuracy? {
        hasPersistedSecret ? state.current.value.reduction.map { ReducedAccuracy($0) } : nil
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

    func set(switchedOffSources names: Set<String>) {
        state.change { $0.switchedOffSources = names.isEmpty ? nil : names.sorted() }
    }

    func set(enabled: Bool) {
        state.change { $0.enabled = enabled }
    }

    /// - Throws: why the switch will not survive a restart.
    func persistSwitch() async throws {
        do {
            try write()
        } catch {
            throw PersistenceError(description: "it is in effect, but a restart loses it: \(error)")
        }
    }

    private struct PersistenceError: Error, CustomStringConvertible {
        let description: String
    }

    /// Writes changes soon after they were made, and once more at the end.
    func run() async {
        await cancelWhenGracefulShutdown {
            var seen = 0
            while !Task.isCancelled {
                seen = await self.state.change(after: seen)
                self.writeOrLogFailure()
            }
        }
        writeOrLogFailure()
    }

    private func writeOrLogFailure() {
        do {
            try write()
        } catch {
            logger.log(.stateNotPersisted, ["reason": "\(error)"])
        }
    }

    private func write() throws {
        if let unreadable { throw unreadable }
        try writing.withLock { _ in
            let state = state.current.value
            let bytes = try state.encoded()
            do {
                try file.replace(with: bytes)
            } catch {
                // The service must not be on again after a crash; for switching it on no space is reserved. Under the
                // lock, because another write would take the room.
                guard !state.enabled, reserve.release() else { throw error }
                try file.replace(with: bytes)
            }
            reserve.make(bytes: Self.room(for: bytes))
        }
    }

    /// The bytes rounded up to whole disk blocks.
    private static func room(for bytes: [UInt8]) -> Int { (bytes.count / 4096 + 1) * 4096 }
}

/// The id of the machine's present boot.
enum BootID {
    /// `nil` if the system does not report it.
    static var current: String? {
        let file = AtomicFile(path: "/proc/sys/kernel/random/boot_id")
        guard let bytes = try? file.content(limit: 64) else { return nil }
        return String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self)
    }
}
