import Glibc
import ProgramTestSupport
import ServiceKit
import Testing

/// Whether an output is the connection to the journal that the environment speaks of.
struct JournalStreamTests {
    private func identity(of descriptor: Int32) throws -> (device: UInt64, inode: UInt64) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Failure("no status: \(errno)") }
        return (UInt64(status.st_dev), UInt64(status.st_ino))
    }

    @Test func onlyTheVeryConnectionMatches() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        var others: [Int32] = [-1, -1]
        try #require(pipe(&others) == 0)
        defer { for end in others { close(end) } }
        let (device, inode) = try identity(of: ends[1])
        #expect(JournalStream.isConnected(ends[1], announced: "\(device):\(inode)"))
        #expect(!JournalStream.isConnected(others[1], announced: "\(device):\(inode)"), "a child with another output")
        #expect(!JournalStream.isConnected(ends[1], announced: "\(device + 1):\(inode)"))
        #expect(!JournalStream.isConnected(-1, announced: "\(device):\(inode)"))
        let strange = [nil, "", ":", "\(device)", "\(device):", ":\(inode)", "\(device):\(inode):", "a:b", "-1:-1"]
        for announced in strange {
            #expect(!JournalStream.isConnected(ends[1], announced: announced), "\(announced ?? "")")
        }
    }
}
