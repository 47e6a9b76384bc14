import ProgramTestSupport
import Testing

/// What a simulated loss of power leaves, and what it cannot take.
@Suite struct RecordedDiskTests {
    private static let path = "/disk/file"
    private static let start: [DiskEvent] = [
        .open(3, path: path, isCreated: true, isEmptied: false, isDirectory: false),
        .open(4, path: "/disk", isCreated: false, isEmptied: false, isDirectory: true),
    ]

    private func disk(_ events: [DiskEvent]) throws -> RecordedDisk {
        var disk = RecordedDisk()
        for event in Self.start + events { try disk.apply(event) }
        return disk
    }

    /// All contents of the file that some seeds find; `nil` where it is missing.
    private func found(_ events: [DiskEvent], seeds: Int = 400) throws -> Set<[UInt8]?> {
        let disk = try disk(events)
        return Set(
            (0..<seeds).map { seed in
                var generator = SeededGenerator(seed: UInt64(seed))
                return disk.afterPowerLoss(using: &generator)[Self.path]
            })
    }

    private func bytes(_ byte: UInt8, _ count: Int) -> [UInt8] { [UInt8](repeating: byte, count: count) }

    @Test func whatIsSyncedIsThere() throws {
        let written = bytes(1, 2000)
        #expect(try found([.write(3, offset: 0, bytes: written), .sync(3), .sync(4)]) == [written])
    }

    @Test func nameIsLostUntilItsDirectoryIsSynced() throws {
        #expect(try found([.write(3, offset: 0, bytes: [1]), .sync(3)]) == [[1], nil])
    }

    @Test func removedFileComesBackUntilItsDirectoryIsSynced() throws {
        let removal: [DiskEvent] = [.write(3, offset: 0, bytes: [1]), .sync(3), .sync(4), .unlink(path: Self.path)]
        #expect(try found(removal) == [[1], nil])
        #expect(try found(removal + [.sync(4)]) == [nil])
    }

    @Test func renamedFileHasEitherName() throws {
        let events: [DiskEvent] = [
            .write(3, offset: 0, bytes: [1]), .sync(3), .sync(4),
            .rename(path: Self.path, target: "/disk/other"),
        ]
        #expect(try found(events) == [[1], nil])
        #expect(try disk(events + [.sync(4)]).files == ["/disk/other": [1]])
    }

    /// Sectors of an overwritten file are old or new, and one may be torn.
    @Test func sectorsAreOldOrNewOrTorn() throws {
        let remains = try found([
            .write(3, offset: 0, bytes: bytes(1, 2048)), .sync(3), .sync(4),
            .write(3, offset: 0, bytes: bytes(2, 2048)),
        ]).compactMap(\.self)
        #expect(remains.contains(bytes(1, 2048)) && remains.contains(bytes(2, 2048)))
        let sectors = remains.map { file in (0..<4).map { Array(file[$0 * 512..<($0 + 1) * 512]) } }
        // A later one without an earlier one.
        #expect(sectors.contains { $0[0] == bytes(1, 512) && $0[3] == bytes(2, 512) })
        #expect(sectors.contains { $0.contains { Set($0) == [1, 2] } })
        #expect(sectors.allSatisfy { $0.count { Set($0) == [1, 2] } <= 1 })
        #expect(remains.allSatisfy { $0.count == 2048 && Set($0).isSubset(of: [1, 2]) })
    }

    /// The size may be on the disk before the content, which is zeros then, or after it.
    @Test func grownFileHasAnySize() throws {
        let remains = try found([
            .write(3, offset: 0, bytes: bytes(1, 512)), .sync(3), .sync(4),
            .write(3, offset: 512, bytes: bytes(2, 512)), .write(3, offset: 1024, bytes: bytes(3, 512)),
        ]).compactMap(\.self)
        #expect(Set(remains.map(\.count)).isSuperset(of: [512, 1024, 1536]))
        #expect(remains.contains(bytes(1, 512) + bytes(0, 512) + bytes(3, 512)))
        #expect(remains.allSatisfy { $0.starts(with: bytes(1, 512)) })
    }

    @Test func truncationIsLostUntilItIsSynced() throws {
        let events: [DiskEvent] = [
            .write(3, offset: 0, bytes: bytes(1, 600)), .sync(3), .sync(4), .truncate(3, size: 0),
        ]
        // A hole, where the size is not yet on the disk.
        #expect(try found(events) == [bytes(1, 600), bytes(0, 600), []])
        #expect(try found(events + [.sync(3)]) == [[]])
    }

    @Test func memoryMappedFileHoldsAnything() throws {
        let remains = try found([
            .write(3, offset: 0, bytes: bytes(1, 100)), .map(3), .sync(3), .sync(4),
        ])
        #expect(remains.count > 100)
        #expect(try disk([.map(3)]).files.isEmpty)
    }

    @Test func recordingThatLacksACallIsRefused() throws {
        #expect(throws: RecordedDisk.Incomplete.self) { try disk([.write(9, offset: 0, bytes: [1])]) }
    }

    @Test func cutRecordIsLeftOut() throws {
        func record(_ kind: UInt8, _ data: [UInt8]) -> [UInt8] {
            [kind, 0, 0, 0, 3, 0, 0, 0] + [7] + bytes(0, 7) + [UInt8(data.count)] + bytes(0, 7) + data
        }
        let whole = record(3, [1, 2]) + record(4, []) + record(5, [])
        let expected: [DiskEvent] = [.write(3, offset: 7, bytes: [1, 2]), .truncate(3, size: 7), .sync(3)]
        #expect(try DiskEvent.events(of: whole) == expected)
        #expect(try DiskEvent.events(of: Array(whole.dropLast())) == Array(expected.dropLast()))
        #expect(throws: DiskEvent.UnknownRecord.self) { try DiskEvent.events(of: record(99, [])) }
    }
}
