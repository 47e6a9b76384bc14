import Glibc
@_spi(Programs) import SystemSupport
import TestSupport
import Testing

/// Whatever call fails, the old content stays and the reason is told; the next attempt finds nothing in its way.
struct FailedCallTests {
    private static let path = "folder/state"
    private static let old = Array("old".utf8)
    private static let new = Array("new, and longer".utf8)

    private func disk() -> ModelDisk { ModelDisk(DiskContent([Self.path: Self.old]), pieceSize: 4) }

    private func callsOfAReplacement() throws -> [ModelDisk.Call] {
        let disk = disk()
        try AtomicFile(path: Self.path, calls: disk).replace(with: Self.new)
        return disk.calls
    }

    private func found(after content: DiskContent) throws -> [[UInt8]?] {
        try content.survivors().map { try AtomicFile(path: Self.path, calls: ModelDisk($0)).content() }
    }

    @Test(arguments: [EIO, ENOSPC, EDQUOT, EMFILE])
    func everyFailureIsToldAndLeavesTheOld(code: Int32) throws {
        let calls = try callsOfAReplacement()
        for (number, call) in calls.enumerated() where number < calls.count - 1 {
            let disk = disk()
            let file = AtomicFile(path: Self.path, calls: disk)
            disk.fail(callsFromNow: number, with: code)
            let failure = try #require(
                #expect(throws: AtomicFile.Failure.self, "\(call)") { try file.replace(with: Self.new) })
            #expect(failure.cause == String(cString: strerror(code)))
            #expect(failure.description.contains(Self.path) || failure.description.contains("folder"))
            #expect(failure.isReplaced == (call == .syncDirectory))
            #expect(disk.openDescriptors == 0, "\(call)")
            // The new content may be there after the rename alone, which is said.
            #expect(try file.content() == (failure.isReplaced ? Self.new : Self.old), "\(call)")
            let expected: Set<[UInt8]?> = failure.isReplaced ? [Self.old, Self.new] : [Self.old]
            #expect(try Set(found(after: disk.content)) == expected, "\(call)")
            #expect(disk.content.files.count == 1 || number < 2, "nothing is left beside it")

            try file.replace(with: Self.new)
            #expect(try Set(found(after: disk.content)) == [Self.new], "\(call)")
        }
    }

    @Test func failureToCloseTheDirectoryChangesNothing() throws {
        let disk = disk()
        disk.fail(callsFromNow: try callsOfAReplacement().count - 1, with: EIO)
        try AtomicFile(path: Self.path, calls: disk).replace(with: Self.new)
        #expect(try Set(found(after: disk.content)) == [Self.new])
    }

    @Test func signalsAreWaitedOut() throws {
        for (number, call) in try callsOfAReplacement().enumerated() {
            let disk = disk()
            let file = AtomicFile(path: Self.path, calls: disk)
            disk.fail(callsFromNow: number, with: EINTR)
            if call == .rename || call == .unlink {
                // These are not interrupted; should they be, nobody can tell what was done.
                let failure = #expect(throws: AtomicFile.Failure.self) { try file.replace(with: Self.new) }
                #expect(failure?.cause == "Interrupted system call")
                #expect(try Set(found(after: disk.content)) == [Self.old])
            } else {
                try file.replace(with: Self.new)
                #expect(try Set(found(after: disk.content)) == [Self.new], "\(call)")
            }
            #expect(disk.openDescriptors == 0)
        }
    }

    @Test func nameThatAppearsMeanwhileIsNotFollowed() throws {
        let new = Self.path + ".new"
        let content = DiskContent([Self.path: Self.old, new: [1]])
        let disk = ModelDisk(content, ignoring: [.unlink])
        let failure = #expect(throws: AtomicFile.Failure.self) {
            try AtomicFile(path: Self.path, calls: disk).replace(with: Self.new)
        }
        #expect(failure?.description == "cannot write folder/state.new: File exists")
        #expect(disk.content.files == content.files)
    }

    @Test func writeThatTakesNothingEnds() throws {
        let disk = ModelDisk(DiskContent([Self.path: Self.old]), pieceSize: 0)
        let failure = #expect(throws: AtomicFile.Failure.self) {
            try AtomicFile(path: Self.path, calls: disk).replace(with: Self.new)
        }
        #expect(failure?.description == "cannot write folder/state.new: Input/output error")
        #expect(disk.content.files == [Self.path: Self.old])
    }

    @Test func failedReadIsNoMissingFile() throws {
        for code in [EIO, EACCES, EMFILE] {
            for number in 0..<2 {
                let disk = disk()
                disk.fail(callsFromNow: number, with: code)
                let failure = #expect(throws: AtomicFile.Failure.self) {
                    try AtomicFile(path: Self.path, calls: disk).content()
                }
                #expect(failure?.description == "cannot read folder/state: \(String(cString: strerror(code)))")
                #expect(disk.openDescriptors == 0)
            }
        }
        let disk = disk()
        for number in [0, 2, 4] { disk.fail(callsFromNow: number, with: EINTR) }
        #expect(try AtomicFile(path: Self.path, calls: disk).content() == Self.old)
    }
}
