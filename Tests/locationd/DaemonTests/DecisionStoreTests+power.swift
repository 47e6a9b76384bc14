import Authorization
import Foundation
@_spi(Programs) import LocationModel
import ProgramTestSupport
@_spi(Programs) import SystemSupport
import Testing

@testable import locationd

extension DecisionStoreTests {
    /// Every crash while a table is kept, and what a later run finds then though it must not.
    func violations(
        from old: DecisionTable?, pieceSize: Int = .max, ignoring: [ModelDisk.Call] = []
    ) async throws -> (violations: [String], crashes: Int) {
        let disk = try disk(old, pieceSize: pieceSize, ignoring: ignoring)
        let store = store(disk)
        let new = try next(Self.allowed, of: store)
        let before = disk.history.count - 1
        try await store.persist(new)
        let permitted: Set<DecisionTable?> = [old ?? DecisionTable(), Self.allowed]
        var violations: [String] = []
        var crashes = 0
        let history = disk.history.dropFirst(before)
        for (step, content) in history.enumerated() {
            for survivor in content.survivors() {
                crashes += 1
                let left = ModelDisk(survivor)
                let reader = self.store(left)
                let found = table(reader.load())
                let isOver = step == history.count - 1
                if found != Self.allowed, isOver || !permitted.contains(found) {
                    violations.append("\(step): \(found.map { "\($0.entries)" } ?? "unreadable")")
                    continue
                }
                // Nothing that a crash leaves hinders the next run.
                try await reader.persist(next(Self.later, of: reader))
                if table(on: left) != Self.later { violations.append("\(step): what is left hinders") }
            }
        }
        return (violations, crashes)
    }

    @Test(arguments: [nil, denied] as [DecisionTable?], [Int.max, 100])
    func powerFailureLeavesTheOldOrTheNew(old: DecisionTable?, pieceSize: Int) async throws {
        let (violations, crashes) = try await violations(from: old, pieceSize: pieceSize)
        #expect(violations == [])
        #expect(crashes > 100)
    }

    @Test func forgottenSyncIsFoundOut() async throws {
        for old in [nil, Self.denied] {
            let torn = try await violations(from: old, ignoring: [.syncFile]).violations
            #expect(torn.contains { $0.hasSuffix("unreadable") })
            let undone = try await violations(from: old, ignoring: [.syncDirectory]).violations
            #expect(!undone.isEmpty && undone.allSatisfy { $0.hasSuffix("]") }, "\(undone)")
        }
    }
}
