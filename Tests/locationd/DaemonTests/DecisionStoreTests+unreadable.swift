import Authorization
import Foundation
@_spi(Programs) import LocationModel
import Logging
import ProgramTestSupport
@_spi(Programs) import SystemSupport
import Testing

@testable import locationd

extension DecisionStoreTests {
    func broken() throws -> [[UInt8]] {
        let bytes = try Self.denied.encoded()
        let flipped = bytes.indices.map { $0 == 60 ? bytes[$0] ^ 1 : bytes[$0] }
        return [
            [], Array("{}".utf8), bytes.dropLast(), flipped, Array(repeating: 0, count: bytes.count), bytes + bytes,
            Array(repeating: 0x20, count: DecisionTable.byteLimit + 1),
        ]
    }

    @Test func brokenFileIsToldOnceAndLeftAlone() async throws {
        for bytes in try broken() {
            let log = RecordedLog()
            let disk = ModelDisk(DiskContent([Self.path: bytes]))
            let store = DecisionStore(directory: "state", files: disk, logger: Logger(label: "test") { _ in log })
            let words = try #require(reason(store.load()))
            #expect(words.hasPrefix("the decisions in state/decisions.json cannot be read ("))
            #expect(words.hasSuffix("); an administrator can restore or remove that file and run `locctl reload`"))
            #expect(log.lines.count == 1 && log.lines.first?.contains(words) == true)
            #expect(log.lines.first?.hasPrefix("critical: ") == true)

            let failure = await #expect(throws: (any Error).self) { try await store.persist(Self.allowed) }
            #expect(failure.map { "\($0)" } == "the decision is not persisted: \(words)")
            store.remember(Self.allowed)
            await run(store)
            #expect(reason(store.load()) == words)
            #expect(disk.content.files == [Self.path: bytes], "it is evidence, and perhaps all there is")
            #expect(!disk.calls.contains { [.write, .rename, .unlink].contains($0) })
            #expect(log.lines.count == 1)

            #expect(!store.isReadable)
            disk.place(try Self.denied.encoded(), at: Self.path)
            #expect(table(store.load()) == Self.denied && store.isReadable)
            await run(store)
            #expect(table(on: disk) == Self.denied, "what was given meanwhile is forgotten")
            try await store.persist(next(Self.allowed, of: store))
            #expect(table(on: disk) == Self.allowed)
            disk.place(bytes, at: Self.path)
            #expect(reason(store.load()) != nil && log.lines.count == 2, "it is news again")
            disk.place(nil, at: Self.path)
            #expect(table(store.load()) == DecisionTable())
        }
    }

    @Test(arguments: [EIO, EACCES])
    func fileThatTheSystemDoesNotGiveIsNoMissingOne(code: Int32) async throws {
        let disk = try disk(Self.denied)
        disk.fail(callsFromNow: 0, with: code)
        let store = store(disk)
        await #expect(throws: (any Error).self) { try await store.persist(Self.allowed) }
        #expect(log.lines.count == 1)
        #expect(log.lines.first?.contains("cannot be read (\(String(cString: strerror(code))));") == true)
        try await store.persist(next(Self.allowed, of: store))
        #expect(table(on: disk) == Self.allowed)
    }
}
