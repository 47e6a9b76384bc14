import Authorization
import Foundation
@_spi(Programs) import LocationModel
import ProgramTestSupport
@_spi(Programs) import SystemSupport
import Testing

@testable import locationd

extension DecisionStoreTests {
    /// All that may be found on the disk after the power failed now.
    func found(after disk: ModelDisk) -> Set<DecisionTable?> {
        Set(disk.content.survivors().map { table(on: ModelDisk($0)) })
    }

    @Test(arguments: [EIO, ENOSPC, EMFILE])
    func failedCallKeepsTheOldAndTellsWhy(code: Int32) async throws {
        let clean = try disk(Self.denied, pieceSize: 100)
        let cleanStore = store(clean)
        let new = try next(Self.allowed, of: cleanStore)
        let start = clean.calls.count
        try await cleanStore.persist(new)
        for (number, call) in clean.calls.dropFirst(start).enumerated().dropLast() {
            let disk = try disk(Self.denied, pieceSize: 100)
            let store = store(disk)
            let new = try next(Self.allowed, of: store)
            disk.fail(callsFromNow: number, with: code)
            let failure = await #expect(throws: (any Error).self, "\(call)") { try await store.persist(new) }
            let words = failure.map { "\($0)" } ?? ""
            #expect(
                words.hasPrefix("the decision is not persisted: ") && words.hasSuffix(String(cString: strerror(code))))
            // Only of the rename itself can nobody tell.
            #expect(found(after: disk) == (call == .syncDirectory ? [Self.denied, Self.allowed] : [Self.denied]))
            try await store.persist(new)
            #expect(found(after: disk) == [Self.allowed], "\(call)")
            #expect(disk.openDescriptors == 0 && log.lines.isEmpty)
        }
    }

    @Test(arguments: [ModelDisk.Call.openDirectory, .write, .syncFile, .rename, .syncDirectory])
    func whatCouldNotBeKeptIsTriedAgain(call: ModelDisk.Call) async throws {
        let disk = try disk(Self.denied)
        let store = store(disk)
        let new = try next(Self.allowed, of: store)
        disk.refuse(call, with: EIO)
        await #expect(throws: (any Error).self) { try await store.persist(new) }
        await run(store)
        #expect(found(after: disk).contains(Self.denied))
        #expect(
            log.lines.contains {
                $0.hasPrefix("error: requests and decisions cannot be persisted") && $0.hasSuffix("Input/output error)")
            })
        disk.refuse(call, with: nil)
        await run(store)
        #expect(found(after: disk) == [Self.allowed])
    }

    @Test func tableThatIsTooLargeIsRefused() async throws {
        let disk = try disk(Self.denied)
        let store = store(disk)
        let purpose = String(repeating: "x", count: DecisionTable.byteLimit)
        let request = AuthorizationRequest(.always, purpose: purpose, time: UTCTime(seconds: 0))
        var large = try #require(table(store.load()))
        #expect(large.record(request, of: .uid(1)) == .changed)
        let failure = await #expect(throws: (any Error).self) { try await store.persist(large) }
        #expect(failure.map { "\($0)" }?.contains("`locctl reset-authorization` makes room") == true)
        store.remember(large)
        await run(store)
        #expect(
            !log.lines.isEmpty
                && log.lines.allSatisfy { $0.hasPrefix("error: requests and decisions cannot be persisted") })
        #expect(table(on: disk) == Self.denied)
        #expect(large.reset(.uid(1)) != nil)
        large.decide(Decision(.denied, by: "uid:0", time: UTCTime(seconds: 0)), about: .uid(1))
        try await store.persist(large)
        #expect(table(on: disk) == large)
    }
}
