import Authorization
import FoundationEssentials
import LocationModel

/// What outlives the daemon: JSON with a checksum, without which a disk's fault could draw near whom reduced accuracy keeps
/// away. Files of version 1 have none and are believed once.
struct SavedState: SavedFile {
    static let currentVersion = 2

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

    init() {}

    /// - Throws: a `DecodingError` if the bytes are no state, have changed on the disk, or are of a later version.
    init(_ bytes: [UInt8]) throws {
        guard bytes.starts(with: Checksum.beginning) else {
            let old = try JSONDecoder().decode(Self.self, from: Data(bytes))
            guard old.version == 1 else { throw Self.damaged("its checksum is missing") }
            self = old
            version = Self.currentVersion
            try check()
            return
        }
        guard let content = Checksum.unsealed(bytes) else {
            throw Self.damaged("its checksum is not that of its content")
        }
        self = try JSONDecoder().decode(Self.self, from: Data(content))
        guard version == Self.currentVersion else {
            throw Self.damaged("version \(version) is of a later locationd")
        }
        try check()
    }

    func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Checksum.sealed(Array(try encoder.encode(self).dropFirst()))
    }

    private static func damaged(_ words: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: [], debugDescription: words))
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
