import Authorization
import FoundationEssentials
@_spi(Programs) import LocationModel

/// The persisted state: JSON with a checksum, because a disk fault could otherwise reveal a position that reduced
/// accuracy hides. Files of version 1 have no checksum and are accepted once.
struct SavedState: SavedFile {
    static let currentVersion = 2

    var version = Self.currentVersion
    /// The master switch.
    var enabled = true
    /// The names of the sources that are switched off; `nil` in files of earlier versions.
    var switchedOffSources: [String]?
    /// Sequence numbers up to this one may have been used.
    var sequenceLimit: Int64 = 0
    /// The newest location, with the boot and the wall-clock time at which it was saved.
    var lastLocation: Location?
    var bootID: String?
    var savedAt: UTCTime?
    /// The age of the location at that time, seconds.
    var ageWhenSaved: Double?
    /// The state of reduced accuracy. A fresh random state would give an observer a second sample of the position.
    var reduction: ReducedMemory?

    /// The last location, with its time of arrival on the present boot's clock.
    ///
    /// After a reboot the wall clock gives the age. A machine without a real-time clock may come up with the time of
    /// its shutdown, so the age is at least the time since boot. If the clock went back, the age is unknown and the
    /// location is not used; nor is one with an impossible number, which shows a disk fault.
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
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: "the sequence limit is out of range"))
        }
    }
}

extension SavedState {
    /// The state that replaces a file with invalid content, or one that the disk cannot read.
    init(replacing bytes: [UInt8]?, at now: UTCTime) {
        struct Switch: Decodable {
            let enabled: Bool
        }
        self.init()
        enabled = bytes.flatMap { try? JSONDecoder().decode(Switch.self, from: Data($0)) }?.enabled ?? false
        sequenceLimit = now.seconds * 64
    }
}
