import Glibc
@_spi(Programs) import SystemSupport
import TestSupport
import Testing

/// Whenever the power fails, the file has the old content or the new one; after the replacement, the new one.
struct PowerLossTests {
    typealias Writer = (ModelDisk, [UInt8]) throws -> Void

    private static let path = "folder/state"
    private static let old = Array("what was there before, a little longer than what comes".utf8)
    private static let new = Array("what is there from now on".utf8)

    /// Every crash during one replacement, and what is found after it though it must not be.
    private func violations(
        from old: [UInt8]?, pieceSize: Int = .max, leftover: [UInt8]? = nil, by writer: Writer
    ) throws -> (violations: [String], crashes: Int) {
        var files: [String: [UInt8]] = [:]
        files[Self.path] = old
        files[Self.path + ".new"] = leftover
        let disk = ModelDisk(DiskContent(files), pieceSize: pieceSize)
        try writer(disk, Self.new)
        var violations: [String] = []
        var crashes = 0
        let history = disk.history
        for (step, content) in history.enumerated() {
            for survivor in content.survivors() {
                crashes += 1
                let found = try AtomicFile(path: Self.path, calls: ModelDisk(survivor)).content()
                let isOver = step == history.count - 1
                if found == Self.new || !isOver && found == old { continue }
                violations.append("after \(step) of \(disk.calls): \(found.map { "\($0)" } ?? "nothing")")
            }
        }
        return (violations, crashes)
    }

    private let atomically: Writer = { disk, bytes in
        try AtomicFile(path: Self.path, calls: disk).replace(with: bytes)
    }

    @Test(arguments: [Int.max, 7, 1], [nil, [], Self.new.dropLast(), Self.old] as [[UInt8]?])
    func replacementIsWholeOrNot(pieceSize: Int, leftover: [UInt8]?) throws {
        for old in [Self.old, [], nil] {
            let (violations, crashes) = try violations(
                from: old, pieceSize: pieceSize, leftover: leftover, by: atomically)
            #expect(violations == [])
            #expect(crashes > 10)
        }
    }

    @Test func everyCallIsMadeInItsOrder() throws {
        let disk = ModelDisk(DiskContent([Self.path: Self.old]))
        try atomically(disk, Self.new)
        #expect(
            disk.calls == [
                .openDirectory, .unlink, .open, .write, .syncFile, .close, .rename, .syncDirectory, .close,
            ])
        #expect(disk.openDescriptors == 0)
    }

    /// The steps of a replacement, some of them forgotten.
    private func replacing(syncingFile: Bool, renaming: Bool, syncingDirectory: Bool) -> Writer {
        { disk, bytes in
            let target = renaming ? Self.path + ".new" : Self.path
            let file = try disk.open(target, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
            _ = try disk.write(file, bytes[...])
            if syncingFile { try disk.fsync(file) }
            try disk.close(file)
            if renaming { try disk.rename(target, to: Self.path) }
            guard syncingDirectory else { return }
            let directory = try disk.open("folder", O_RDONLY | O_DIRECTORY, mode: 0)
            try disk.fsync(directory)
            try disk.close(directory)
        }
    }

    @Test func wrongWritersAreFoundOut() throws {
        func found(_ writer: Writer) throws -> [String] { try violations(from: Self.old, by: writer).violations }
        #expect(try found(replacing(syncingFile: true, renaming: true, syncingDirectory: true)) == [])
        let unsynced = try found(replacing(syncingFile: false, renaming: true, syncingDirectory: true))
        #expect(unsynced.contains { $0.hasSuffix(": []") } && unsynced.contains { $0.contains("[0, 0") })
        let inPlace = try found(replacing(syncingFile: true, renaming: false, syncingDirectory: true))
        #expect(inPlace.contains { $0.hasSuffix(": []") } && inPlace.allSatisfy { !$0.hasSuffix("nothing") })
        let unnamed = try found(replacing(syncingFile: true, renaming: true, syncingDirectory: false))
        #expect(!unnamed.isEmpty && unnamed.allSatisfy { $0.hasSuffix(": \(Self.old)") }, "undone after its end")
    }

    @Test func firstContentNeedsItsDirectoryOnTheDisk() throws {
        let writer = replacing(syncingFile: true, renaming: true, syncingDirectory: false)
        #expect(try violations(from: nil, by: writer).violations.allSatisfy { $0.hasSuffix("nothing") })
        #expect(try !violations(from: nil, by: writer).violations.isEmpty)
    }
}
