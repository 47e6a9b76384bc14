import Authorization
import Foundation
@_spi(Programs) import LocationModel
import Logging
import ProgramTestSupport
import Synchronization
@_spi(Programs) import SystemSupport
import Testing

@testable import locationd

extension DecisionStoreTests {
    func successors(of table: DecisionTable, _ count: Int) -> [DecisionTable] {
        var table = table
        return (0..<count).map { index in
            let answer: Decision.Answer = index % 2 == 0 ? .authorizedAlways : .denied
            table.decide(Decision(answer, by: "uid:0", time: UTCTime(seconds: Int64(index))), about: .uid(1))
            return table
        }
    }

    @Test func earlierTableNeverReplacesALaterOne() async throws {
        let disk = try disk(Self.denied)
        let store = store(disk)
        let tables = successors(of: try #require(table(store.load())), 4)
        // The tasks that keep them need not begin in the order of the decisions.
        try await store.persist(tables[1])
        try await store.persist(tables[0])
        #expect(table(on: disk) == tables[1])
        store.remember(tables[3])
        store.remember(tables[2])
        await run(store)
        #expect(table(on: disk) == tables[3])
        try await store.persist(tables[2])
        store.remember(tables[1])
        await run(store)
        #expect(table(on: disk) == tables[3])
        #expect(disk.calls.count { $0 == .rename } == 2)
    }

    @Test func tableOfAnEarlierReadingIsNotKept() async throws {
        let disk = try disk(Self.denied)
        let store = store(disk)
        let tables = successors(of: try #require(table(store.load())), 9)
        disk.place(try Self.later.encoded(), at: Self.path)
        #expect(table(store.load()) == Self.later)
        let failure = await #expect(throws: (any Error).self) { try await store.persist(tables[8]) }
        #expect(
            failure.map { "\($0)" }
                == "the decision is not persisted: the decisions were reloaded meanwhile; decide again")
        store.remember(tables[7])
        await run(store)
        #expect(table(on: disk) == Self.later && !disk.calls.contains(.write))
    }

    @Test func rememberedTableIsWrittenSoon() async throws {
        let disk = try disk(nil)
        let store = store(disk)
        let tables = successors(of: try #require(table(store.load())), 3)
        let running = Task { await store.run() }
        store.remember(tables[0])
        try await eventually("the first table is written") { table(on: disk) == tables[0] }
        store.remember(tables[2])
        try await eventually("the last table is written") { table(on: disk) == tables[2] }
        running.cancel()
        await running.value
        #expect(disk.calls.count { $0 == .rename } == 2)
    }

    @Test func requestsInARowAreWrittenTogether() async throws {
        let disk = try disk(nil)
        let store = store(disk, pause: .seconds(3600))
        let tables = successors(of: try #require(table(store.load())), 3)
        let running = Task { await store.run() }
        store.remember(tables[0])
        try await eventually("the first table is written") { table(on: disk) == tables[0] }
        for _ in 0..<50 { store.remember(tables[1]) }
        store.remember(tables[2])
        running.cancel()
        await running.value
        #expect(table(on: disk) == tables[2])
        #expect(disk.calls.count { $0 == .rename } == 2)
    }

    @Test func decisionsFromManySidesEndWithTheLast() async throws {
        let disk = try disk(nil)
        let store = store(disk)
        let running = Task { await store.run() }
        let shared = Shared(try #require(table(store.load())))
        try await withThrowingTaskGroup { group in
            for uid in 0..<UInt32(200) {
                group.addTask {
                    let kept = shared.table.withLock { table in
                        table.decide(Decision(.denied, by: "uid:0", time: UTCTime(seconds: 0)), about: .uid(uid))
                        return table
                    }
                    if uid % 2 == 0 { store.remember(kept) } else { try await store.persist(kept) }
                    let found = table(on: ModelDisk(disk.content))
                    #expect(uid % 2 == 0 || found?.entries[.uid(uid)] == kept.entries[.uid(uid)])
                }
            }
            try await group.waitForAll()
        }
        running.cancel()
        await running.value
        #expect(self.table(on: disk)?.entries.count == 200)
        #expect(disk.openDescriptors == 0)
    }

    @MainActor @Test func callersExecutorIsNotBlocked() async throws {
        // The main actor's executor is the main queue, on whatever thread.
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        let isOnMain = Mutex<[Bool]>([])
        let disk = ModelDisk { call in
            guard call == .syncFile else { return }
            isOnMain.withLock { $0.append(DispatchQueue.getSpecific(key: key) == true) }
        }
        let store = store(disk)
        #expect(DispatchQueue.getSpecific(key: key) == true)
        try await store.persist(next(Self.allowed, of: store))
        #expect(isOnMain.withLock { $0 } == [false])
    }
}

private final class Shared: Sendable {
    let table: Mutex<DecisionTable>

    init(_ table: DecisionTable) {
        self.table = Mutex(table)
    }
}
