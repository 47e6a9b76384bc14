import FoundationEssentials
import LocationModel

/// What outlives the daemon.
struct SavedState: SavedFile {
    static let currentVersion = 1

    var version = Self.currentVersion
    /// The master switch.
    var enabled = true
    /// Sequence numbers up to this one may have been used.
    var sequenceLimit: Int64 = 0
    /// The newest location, with the boot and the wall-clock time at which it was kept.
    var lastLocation: Location?
    var bootID: String?
    var savedAt: UTCTime?
    /// How old the location was then, seconds.
    var ageWhenSaved: Double?
    /// What reduced accuracy has to go on with; drawn anew it would tell more.
    var reduction: ReducedMemory?

    /// The last location with its time of arrival on the clock of the present boot.
    ///
    /// After a reboot the wall clock tells the age; but a machine without a clock of its own may come up with the time
    /// it went down at, so the fix is at least as old as the boot. A clock that went back makes the age unknowable, and
    /// the location is not shown; nor is one with a number that cannot be, which a disk has spoilt.
    func lastLocation(now: BootInstant, wallClock: UTCTime, bootID: String?) -> Location? {
        guard var location = lastLocation, location.firstImpossibleField == nil else { return nil }
        if let bootID, bootID == self.bootID {
            return location.monotonicTime <= now ? location : nil
        }
        guard let savedAt, let ageWhenSaved, wallClock >= savedAt else { return nil }
        let age = max(wallClock.seconds(since: savedAt) + ageWhenSaved, now.seconds)
        location.monotonicTime = now.advanced(bySeconds: -age)
        return location
    }

    func check() throws {
        guard (0...Int64.max / 2).contains(sequenceLimit) else {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "the sequence limit cannot be"))
        }
    }
}

extension SavedState {
    /// After a file that is no state, or one that the disk does not give.
    init(replacing bytes: [UInt8]?, at now: UTCTime) {
        struct Switch: Decodable {
            let enabled: Bool
        }
        self.init()
        enabled = bytes.flatMap { try? JSONDecoder().decode(Switch.self, from: Data($0)) }?.enabled ?? false
        sequenceLimit = now.seconds * 64
    }
}
