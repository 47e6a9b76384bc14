import Foundation
import Testing

@testable import locationd

/// A file is replaced as a whole or not at all.
struct AtomicFileTests {
    private let directory: TemporaryDirectory
    private let file: AtomicFile

    init() throws {
        directory = try TemporaryDirectory()
        file = AtomicFile(path: directory.file("state"))
    }

    @Test func contentIsReplaced() throws {
        try file.replace(with: Array("first and longer".utf8))
        #expect(try file.content() == Array("first and longer".utf8))
        try file.replace(with: Array("second".utf8))
        #expect(try file.content() == Array("second".utf8))
        #expect(try directory.names == ["state"], "nothing is left beside it")
    }

    @Test func emptyContentIsContent() throws {
        try file.replace(with: [])
        #expect(try file.content() == [])
    }

    @Test func onlyTheOwnerMayReadIt() throws {
        try file.replace(with: [1])
        #expect(try directory.mode(of: "state") == 0o600)
    }

    @Test func missingFileHasNoContent() throws {
        #expect(try file.content() == nil)
    }

    @Test func failureLeavesTheOldContent() throws {
        try file.replace(with: Array("old".utf8))
        try directory.makeDirectory("state.new")
        let failure = #expect(throws: AtomicFile.Failure.self) { try file.replace(with: Array("new".utf8)) }
        #expect(failure?.description == "cannot write \(file.path).new: Is a directory")
        #expect(try file.content() == Array("old".utf8))
    }

    @Test func failureToRenameLeavesNothingBeside() throws {
        try directory.makeDirectory("state")
        let failure = #expect(throws: AtomicFile.Failure.self) { try file.replace(with: [1]) }
        #expect(failure?.description == "cannot replace \(file.path): Is a directory")
        #expect(try directory.names == ["state"])
    }

    @Test func missingDirectoryIsTold() throws {
        let file = AtomicFile(path: directory.file("gone/state"))
        let failure = #expect(throws: AtomicFile.Failure.self) { try file.replace(with: [1]) }
        #expect(failure?.description.hasSuffix("No such file or directory") == true)
        #expect(try file.content() == nil)
    }

    @Test func unreadableFileIsNoMissingOne() throws {
        try directory.makeDirectory("state")
        let failure = #expect(throws: AtomicFile.Failure.self) { try file.content() }
        #expect(failure?.description == "cannot read \(file.path): Is a directory")
    }

    @Test func leftoverOfAnInterruptedRunIsReplaced() throws {
        try Data("half".utf8).write(to: URL(filePath: file.path + ".new"))
        try file.replace(with: Array("whole".utf8))
        #expect(try file.content() == Array("whole".utf8))
        #expect(try directory.names == ["state"])
    }

    @Test func linkInThePlaceOfTheNewContentIsNotFollowed() throws {
        try FileManager.default.createSymbolicLink(
            atPath: file.path + ".new", withDestinationPath: directory.file("victim"))
        #expect(throws: AtomicFile.Failure.self) { try file.replace(with: [1]) }
        #expect(!FileManager.default.fileExists(atPath: directory.file("victim")))
    }

    @Test func contentEndsAtTheLimit() throws {
        try file.replace(with: Array(repeating: 7, count: 100))
        #expect(try file.content(limit: 10) == Array(repeating: 7, count: 10))
    }
}
