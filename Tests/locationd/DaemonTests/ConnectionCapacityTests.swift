import Foundation
import ProgramTestSupport
import Testing

@testable import locationd

/// As many clients as the system leaves room for, and no more.
struct ConnectionCapacityTests {
    @Test func scarcestDecides() {
        #expect(ConnectionCapacity.connections(descriptors: 65_536, memory: nil) == 32_640)
        #expect(ConnectionCapacity.connections(descriptors: 65_536, memory: 1 << 30) == 4232)
        #expect(ConnectionCapacity.connections(descriptors: 65_536, memory: 64 << 20) == 136)
        #expect(ConnectionCapacity.connections(descriptors: 1024, memory: 1 << 30) == 384)
        #expect(ConnectionCapacity.connections(descriptors: .max, memory: .max) > 32_640)
    }

    @Test(arguments: [0, 64, 256, 257]) func oneIsAlwaysLetIn(descriptors: Int) {
        #expect(ConnectionCapacity.connections(descriptors: descriptors, memory: nil) == 1)
        #expect(ConnectionCapacity.connections(descriptors: 4096, memory: descriptors) == 1)
    }
}

/// What the control groups say, of either version, wherever on the way up they say it.
struct MemoryLimitTests {
    private let directory: TemporaryFolder

    init() throws {
        directory = try TemporaryFolder()
    }

    private func write(_ text: String, to path: String) throws {
        let file = URL(filePath: directory(path))
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    private func limit(_ membership: String) -> Int? {
        MemoryLimit.bytes(membership: membership, root: directory("."))
    }

    @Test func leastOfAGroupAndThoseAroundItCounts() throws {
        try write("max\n", to: "system.slice/locationd.service/memory.max")
        #expect(limit("0::/system.slice/locationd.service\n") == nil)
        try write("2000000\n", to: "system.slice/memory.max")
        #expect(limit("0::/system.slice/locationd.service\n") == 2_000_000)
        try write("1000000\n", to: "system.slice/locationd.service/memory.max")
        #expect(limit("0::/system.slice/locationd.service\n") == 1_000_000)
        #expect(limit("0::/system.slice/gpsd.service\n") == 2_000_000)
    }

    @Test func versionOneHasItsOwnHierarchy() throws {
        try write("9223372036854771712\n", to: "memory/memory.limit_in_bytes")
        #expect(limit("4:memory,hugetlb:/bench\n0::/\n") == nil)
        try write("3000000\n", to: "memory/bench/memory.limit_in_bytes")
        #expect(limit("4:memory,hugetlb:/bench\n0::/\n") == 3_000_000)
        #expect(limit("4:cpu:/bench\n0::/\n") == nil)
    }

    @Test func nothingToReadIsNoLimit() {
        #expect(limit("") == nil)
        #expect(limit("nonsense\n0::/../elsewhere\n::\n") == nil)
    }
}
