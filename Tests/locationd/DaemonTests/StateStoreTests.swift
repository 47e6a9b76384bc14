import Foundation
import LocationHub
@_spi(Programs) import LocationModel
import Logging
import ProgramTestSupport
import Testing

@testable import locationd

/// What is kept reaches the disk, and what is on the disk is heeded.
@Suite(.timeLimit(.minutes(10)))
struct StateStoreTests {
    private let directory: TemporaryFolder
    private let silence = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    init() throws {
        directory = try TemporaryFolder()
    }

    private func store(reducedGrid: Double = 1000) -> StateStore {
        StateStore(directory: directory.path, reducedGrid: reducedGrid, logger: silence)
    }

    private var stateFile: URL { URL(filePath: directory("state.json")) }

    private func onDisk() throws -> SavedState {
        try SavedState(Array(Data(contentsOf: URL(filePath: directory("state.json")))))
    }

    private func location() throws -> Location {
        var location = Location(
            coordinate: try #require(Coordinate(latitude: 1, longitude: 2)), monotonicTime: BootInstant(seconds: 0),
            source: SourceInformation(name: "test"))
        location.sequence = 7
        return location
    }

    @Test func blockIsReservedBeforeTheStart() throws {
        let first = store()
        #expect(first.sequenceStart == 0 && first.isEnabled && first.lastLocation == nil)
        #expect(try onDisk().sequenceLimit == SequenceCounter.blockSize)
        let second = store()
        #expect(second.sequenceStart == SequenceCounter.blockSize)
        #expect(try onDisk().sequenceLimit == 2 * SequenceCounter.blockSize)
    }

    @Test func switchedOffSourcesAreKeptAtOnce() async throws {
        let first = store()
        #expect(first.switchedOffSources == [])
        first.set(switchedOffSources: ["roof", "desk"])
        try await first.persistSwitch()
        #expect(try onDisk().switchedOffSources == ["desk", "roof"])
        let second = store()
        #expect(second.switchedOffSources == ["desk", "roof"])
        second.set(switchedOffSources: [])
        try await second.persistSwitch()
        #expect(store().switchedOffSources == [])
    }

    @Test func switchIsKeptAtOnce() async throws {
        let first = store()
        first.set(enabled: false)
        try await first.persistSwitch()
        #expect(try onDisk().enabled == false)
        let next = store()
        #expect(!next.isEnabled)
        next.set(enabled: true)
        try await next.persistSwitch()
        #expect(store().isEnabled)
    }

    @Test func switchThatCannotBeKeptIsTold() async throws {
        let store = store()
        try directory.makeFolder("state.json.new")
        store.set(enabled: false)
        let failure = await #expect(throws: (any Error).self) { try await store.persistSwitch() }
        let words = failure.map { "\($0)" } ?? ""
        #expect(words.contains("a restart loses it") && words.contains("Is a directory"), "\(words)")
        #expect(!store.isEnabled, "the switch is thrown all the same")
        #expect(try onDisk().enabled)
        // Once there is room, the next change takes it along.
        try FileManager.default.removeItem(atPath: directory("state.json.new"))
        try await store.persistSwitch()
        #expect(try onDisk().enabled == false)
    }

    @Test(arguments: [
        "", String(repeating: " ", count: 100_000), "{\"version\":1,\"enabl",
        #"{"enabled":false,"sequenceLimit":5,"version":2}"#,
    ])
    func brokenFileIsSetAsideAndNumbersGoOnAbove(text: String) throws {
        let path = directory("state.json")
        try Data(text.utf8).write(to: stateFile)
        let before = Int64(Date().timeIntervalSince1970)
        let store = store()
        #expect(try Data(contentsOf: URL(filePath: path + ".unusable")) == Data(text.utf8))
        #expect(store.sequenceStart >= before * 64)
        #expect(try onDisk().sequenceLimit == store.sequenceStart + SequenceCounter.blockSize)
        #expect(!store.isEnabled, "who switched it off must not find it on")
        #expect(store.reduction != nil)
    }

    @Test func secretIsKeptAsLongAsTheGrid() throws {
        let first = try #require(store().reduction)
        let next = try #require(store().reduction)
        #expect(first.grid.size == 1000 && next.displacement == first.displacement)
        let other = try #require(store(reducedGrid: 2000).reduction)
        #expect(other.grid.size == 2000 && other.displacement != first.displacement)
        #expect(try onDisk().reduction == other.memory, "before anything is told")
    }

    @Test func brokenFileThatSaysThatItIsOnIsBelieved() throws {
        try Data(#"{"enabled":true,"sequenceLimit":-5,"version":2}"#.utf8).write(to: stateFile)
        #expect(store().isEnabled)
    }

    @Test func fileThatTheDiskDoesNotGiveIsLeftAlone() async throws {
        try directory.makeFolder("state.json")
        let store = store()
        #expect(!store.isEnabled)
        #expect(store.reduction == nil, "its secret may be in there")
        store.set(enabled: true)
        let failure = await #expect(throws: (any Error).self) { try await store.persistSwitch() }
        #expect(failure.map { "\($0)" }?.contains("cannot read") == true)
        #expect(store.isEnabled, "it is done all the same")
        #expect(!FileManager.default.fileExists(atPath: directory("state.json.unusable")))
    }

    @Test func withoutADiskNumbersStillRise() throws {
        try directory.makeFolder("state.json.new")
        let before = Int64(Date().timeIntervalSince1970)
        #expect(store().sequenceStart >= before * 64)
    }

    @Test func changesAreWrittenWhileItRunsAndAtItsEnd() async throws {
        let store = store()
        let location = try location()
        let running = Task { await store.run() }
        store.persist(location)
        try await eventually("the location is written") { try onDisk().lastLocation != nil }
        #expect(try onDisk().lastLocation?.sequence == 7)
        #expect(try onDisk().bootID != nil && onDisk().savedAt != nil)
        store.reserveSequences(upTo: 1_000_000)
        running.cancel()
        await running.value
        #expect(try onDisk().sequenceLimit == 1_000_000)
        #expect(self.store().lastLocation?.sequence == 7)
    }
}
