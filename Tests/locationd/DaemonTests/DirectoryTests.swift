import Foundation
import Glibc
import ProgramTestSupport
import Testing

@testable import locationd

/// The daemon's directories are made where they are missing, and what is in the way is told.
struct DirectoryTests {
    private let directory: TemporaryFolder

    init() throws {
        directory = try TemporaryFolder()
    }

    @Test func missingOneIsMadeWithItsMode() throws {
        try Directory.prepare(directory("state"), mode: 0o700, flag: "--state-directory")
        #expect(try directory.mode(of: "state") == 0o700)
    }

    @Test func stateIsKeptByOneDaemonAtATime() throws {
        let first = try Directory.lock(directory("."))
        let failure = #expect(throws: Directory.Failure.self) { try Directory.lock(directory(".")) }
        #expect(failure?.description.contains("another locationd uses \(directory("."))") == true)
        close(first)
        close(try Directory.lock(directory(".")))
    }

    @Test(.enabled(if: Privileges.mayMount, "it takes a file system of the test's own"))
    func readOnlyOneWillDoForTheState() throws {
        let path = directory("state")
        try directory.makeFolder("state")
        try #require(mount("none", path, "tmpfs", UInt(MS_RDONLY), nil) == 0)
        defer { umount2(path, Int32(MNT_DETACH)) }
        #expect(throws: Directory.Failure.self) {
            try Directory.prepare(path, mode: 0o700, flag: "--runtime-directory")
        }
        try Directory.prepare(path, mode: 0o700, flag: "--state-directory", mayBeReadOnly: true)
        let first = try Directory.lock(path)
        #expect(throws: Directory.Failure.self) { try Directory.lock(path) }
        close(first)
        close(try Directory.lock(path))
    }

    @Test func presentOneIsLeftAsItIs() throws {
        try directory.makeFolder("state")
        let mode = try directory.mode(of: "state")
        try Directory.prepare(directory("state"), mode: 0o700, flag: "--state-directory")
        #expect(try directory.mode(of: "state") == mode)
    }

    @Test func fileInItsPlaceIsTold() throws {
        try Data().write(to: URL(filePath: directory("state")))
        let failure = #expect(throws: Directory.Failure.self) {
            try Directory.prepare(directory("state"), mode: 0o700, flag: "--state-directory")
        }
        #expect(
            failure?.description == "\(directory("state")) is not a directory; choose another by --state-directory")
    }

    @Test func missingParentIsToldWithTheNextStep() throws {
        let failure = #expect(throws: Directory.Failure.self) {
            try Directory.prepare(directory("a/b"), mode: 0o700, flag: "--runtime-directory")
        }
        let words = "No such file or directory; choose another by --runtime-directory"
        #expect(failure?.description.contains(words) == true)
    }
}
