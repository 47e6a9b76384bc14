import Foundation
import Glibc
@_spi(Programs) import SystemSupport
import TestSupport
import Testing

/// A file is replaced as a whole or not at all.
struct AtomicFileTests {
    private let folder: TemporaryFolder
    private let file: AtomicFile

    init() throws {
        folder = try TemporaryFolder()
        file = AtomicFile(path: folder("state"))
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
    }

    private func makeDirectory(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: folder(name), withIntermediateDirectories: false)
    }

    @Test func contentIsReplaced() throws {
        try file.replace(with: Array("first and longer".utf8))
        #expect(try file.content() == Array("first and longer".utf8))
        try file.replace(with: Array("second".utf8))
        #expect(try file.content() == Array("second".utf8))
        #expect(try names == ["state"], "nothing is left beside it")
    }

    @Test func emptyContentIsContent() throws {
        try file.replace(with: [])
        #expect(try file.content() == [])
    }

    @Test func onlyTheOwnerMayReadIt() throws {
        try file.replace(with: [1])
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    }

    @Test func missingFileHasNoContent() throws {
        #expect(try file.content() == nil)
    }

    @Test func failureLeavesTheOldContent() throws {
        try file.replace(with: Array("old".utf8))
        try makeDirectory("state.new")
        let failure = #expect(throws: AtomicFile.Failure.self) { try file.replace(with: Array("new".utf8)) }
        #expect(failure?.description == "cannot write \(file.path).new: Is a directory")
        #expect(try file.content() == Array("old".utf8))
    }

    @Test func failureToRenameLeavesNothingBeside() throws {
        try makeDirectory("state")
        let failure = #expect(throws: AtomicFile.Failure.self) { try file.replace(with: [1]) }
        #expect(failure?.description == "cannot replace \(file.path): Is a directory")
        #expect(try names == ["state"])
    }

    @Test func missingDirectoryIsTold() throws {
        let file = AtomicFile(path: folder("gone/state"))
        let failure = #expect(throws: AtomicFile.Failure.self) { try file.replace(with: [1]) }
        #expect(failure?.description.hasSuffix("No such file or directory") == true)
        #expect(try file.content() == nil)
    }

    @Test func unreadableFileIsNoMissingOne() throws {
        try makeDirectory("state")
        let failure = #expect(throws: AtomicFile.Failure.self) { try file.content() }
        #expect(failure?.description == "cannot read \(file.path): Is a directory")
    }

    @Test func leftoverOfAnInterruptedRunIsReplaced() throws {
        try Data("half".utf8).write(to: URL(filePath: file.path + ".new"))
        try file.replace(with: Array("whole".utf8))
        #expect(try file.content() == Array("whole".utf8))
        #expect(try names == ["state"])
    }

    @Test func linkInThePlaceOfTheNewContentIsNotFollowed() throws {
        try FileManager.default.createSymbolicLink(
            atPath: file.path + ".new", withDestinationPath: folder("victim"))
        try Data("safe".utf8).write(to: URL(filePath: folder("victim")))
        try file.replace(with: [1])
        #expect(try Data(contentsOf: URL(filePath: folder("victim"))) == Data("safe".utf8))
        #expect(try file.content() == [1] && names == ["state", "victim"])
    }

    @Test func linkIsReplacedAndNotItsTarget() throws {
        try Data("safe".utf8).write(to: URL(filePath: folder("victim")))
        try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: folder("victim"))
        try file.replace(with: [1])
        #expect(try Data(contentsOf: URL(filePath: folder("victim"))) == Data("safe".utf8))
        #expect(try file.content() == [1])
    }

    /// Nobody writes into it, and nobody is waited for.
    @Test func pipeInItsPlaceIsEmpty() throws {
        try #require(mkfifo(file.path, 0o600) == 0)
        #expect(try file.content() == [])
        try file.replace(with: [1])
        #expect(try file.content() == [1])
    }

    @Test func fileRemovedIsMissing() throws {
        try file.replace(with: [1])
        try file.remove()
        #expect(try file.content() == nil)
        #expect(throws: AtomicFile.Failure.self) { try file.remove() }
    }

    @Test func contentBeyondTheLimitIsNoContent() throws {
        try file.replace(with: Array(repeating: 7, count: 100_000))
        #expect(try file.content(limit: 100_000) == Array(repeating: 7, count: 100_000))
        let failure = #expect(throws: AtomicFile.Failure.self) { try file.content(limit: 99_999) }
        #expect(failure?.description == "cannot read \(file.path): it is longer than 99999 bytes")
    }
}
