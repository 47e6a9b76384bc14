import Foundation
import ProgramTestSupport
import Testing

/// Takes the power from a recorded program again and again, and looks at what each loss has left.
struct PowerLosses {
    /// One loss.
    struct Loss {
        /// Where the remaining files are, with the names that the program gave them.
        let folder: String
        /// The files as they are without the loss, and as they were when the program last said what it had written.
        let before: RecordedDisk
        let said: RecordedDisk
        /// What it had said so far.
        let messages: [String]
    }

    let events: [DiskEvent]
    /// The folder of the recording.
    let folder: String
    let seed: UInt64
    /// A part of the messages by which the program says that something is written.
    let marker: String

    /// As many as `LOCATIOND_POWER_LOSSES` says, 200 without it.
    static let usualCount = ProcessInfo.processInfo.environment["LOCATIOND_POWER_LOSSES"].flatMap { Int($0) } ?? 200
    /// `LOCATIOND_SEED`, or a new one.
    static let usualSeed =
        ProcessInfo.processInfo.environment["LOCATIOND_SEED"].flatMap { UInt64($0) } ?? .random(in: 0...999_999)

    init(_ events: [DiskEvent], of folder: String, seed: UInt64 = Self.usualSeed, marker: String) {
        (self.events, self.folder, self.seed, self.marker) = (events, folder, seed, marker)
    }

    /// - Parameters:
    ///   - count: losses, each at another moment until all have had one.
    ///   - check: finds what is wrong after a loss; `nil` for nothing.
    /// - Returns: what was wrong, each with its moment.
    func failures(
        _ count: Int = Self.usualCount, _ check: (Loss) throws -> String?
    ) throws -> [String] {
        var generator = SeededGenerator(seed: seed)
        let order = Array(events.indices).shuffled(using: &generator)
        let lossesAt = Dictionary(grouping: 0..<count) { order[$0 % order.count] }
        print("\(count) losses of power at \(lossesAt.count) of \(events.count) calls, seed \(seed)")
        let place = try TemporaryFolder()
        var (disk, said, failures) = (RecordedDisk(), RecordedDisk(), [String]())
        var messages: [String] = []
        for (index, event) in events.enumerated() {
            try disk.apply(event)
            if case .message(let message) = event, message.contains(marker) {
                messages += message.split(separator: "\n").map(String.init)
                said = disk
            }
            for number in lossesAt[index] ?? [] {
                var chance = SeededGenerator(seed: seed ^ UInt64(number) << 32)
                let remains = try place.makeFolder("\(number)")
                try Self.write(disk.afterPowerLoss(using: &chance), of: folder, to: remains)
                let loss = Loss(folder: remains, before: disk, said: said, messages: messages)
                do {
                    if let problem = try check(loss) { failures.append("\(problem), after call \(index + 1)") }
                } catch {
                    failures.append("\(error), after call \(index + 1)")
                }
                try FileManager.default.removeItem(atPath: remains)
            }
        }
        return failures
    }

    /// The rows of a database among files that are not on the disk.
    func rows(of name: String, in disk: RecordedDisk) throws -> [String] {
        let place = try TemporaryFolder()
        try Self.write(disk.files, of: folder, to: place.path)
        return try DatabaseContent.rows(at: place(name))
    }

    /// Writes files of one folder to another.
    static func write(_ files: [String: [UInt8]], of folder: String, to target: String) throws {
        for (path, bytes) in files {
            try Data(bytes).write(to: URL(filePath: target + path.dropFirst(folder.count)))
        }
    }
}

extension DiskRecorder {
    /// Expects that no loss of power takes what was said to be written, and that a disk on which nothing is synced
    /// loses it.
    func expectNoLoss(
        marker: String, _ problem: (PowerLosses, PowerLosses.Loss) throws -> String?
    ) throws {
        let events = try events()
        try expectComplete(events)
        let losses = PowerLosses(events, of: folder, marker: marker)
        let failures = try losses.failures { try problem(losses, $0) }
        if !failures.isEmpty {
            let remedy = try keepRecording(seed: losses.seed)
            Issue.record("\(failures.count) losses of power have lost more: \(failures.prefix(3)); \(remedy)")
        }
        let unsynced = PowerLosses(events.filter { !$0.isSync }, of: folder, seed: losses.seed, marker: marker)
        #expect(try !unsynced.failures(50) { try problem(unsynced, $0) }.isEmpty)
    }
}
