import Foundation
import LocationHub
@_spi(Programs) import LocationModel
import Logging
import ProgramTestSupport
@_spi(Programs) import RegionMonitoring
import Testing

@testable import locationd

/// What of monitors a restart finds.
@Suite struct MonitorStoreTests {
    private func monitor(fixAt seconds: Double, name: String = "mine") throws -> PersistedMonitor {
        let center = try #require(Coordinate(latitude: 52.5, longitude: 13.25))
        let region = try Region(identifier: "home", shape: .circle(RegionCircle(center: center, radius: 100)))
        var location = Location(
            coordinate: center, monotonicTime: BootInstant(seconds: seconds), source: SourceInformation(name: "gpsd"))
        location.sequence = 7
        location.horizontalAccuracy = 5
        var memory = MonitorMemory(regions: [RegionMemory(region: region, state: .inside, location: location)])
        memory.significantChange = SignificantChange(distance: 700, interval: 300)
        memory.visits = true
        return PersistedMonitor(owner: 1000, name: name, accuracy: .full, memory: memory)
    }

    private func saved(_ monitors: [PersistedMonitor], boot: String? = "a") -> SavedMonitors {
        SavedMonitors(
            monitors, bootID: boot, savedAt: UTCTime(seconds: 1_000_000), monotonicTime: BootInstant(seconds: 500))
    }

    private func age(_ saved: SavedMonitors, now: Double, wall: Int64, boot: String? = "b") -> Double? {
        let now = BootInstant(seconds: now)
        return saved.monitors(now: now, wallClock: UTCTime(seconds: wall), bootID: boot)
            .first?.memory.regions.first?.location?.age(at: now)
    }

    @Test func writtenIsReadAsItWas() async throws {
        let directory = try TemporaryFolder()
        let log = RecordedLog()
        let store = MonitorStore(directory: directory.path, logger: Logger(label: "test") { _ in log })
        #expect(store.load().isEmpty)
        let kept = [try monitor(fixAt: 1), try monitor(fixAt: 2, name: "an\u{7}other")]
        try await store.persist(kept)
        #expect(store.load() == kept)
        let attributes = try FileManager.default.attributesOfItem(atPath: directory.path + "/monitors.json")
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(log.lines.isEmpty)
    }

    /// Else a restart would set everybody's monitors aside.
    @Test func allThatTheLimitsAllowCanBeReadAgain() throws {
        var kept = try monitor(fixAt: 1)
        let empty = try saved([kept]).encoded().count
        let corners = try (0..<32).map { corner in
            try #require(
                Coordinate(
                    latitude: -89.123_456_7 - Double(corner) * 1e-7, longitude: -179.123_456_789_012_3))
        }
        let region = try Region(
            identifier: String(repeating: "\u{1}", count: Region.identifierLimit),
            shape: .polygon(RegionPolygon(corners: corners)), dwell: 86_399.123_456_789)
        kept.memory.regions.append(
            RegionMemory(region: region, state: .inside, location: kept.memory.regions.first?.location))
        let size = try saved([kept]).encoded().count - empty
        #expect(region.weight == 1 && size > 3000)
        // A real fix tells more than this one: a kilobyte is left for it.
        #expect((size + 1000) * ServiceLimits().regions < SavedMonitors.byteLimit)
    }

    @Test func whatHasNotChangedIsTakenAsItWasWritten() throws {
        var pieces = EncodedMonitors()
        var kept = [try monitor(fixAt: 1), try monitor(fixAt: 2, name: "b"), try monitor(fixAt: 3, name: "c")]
        for change in 0..<5 {
            switch change {
            case 1: kept[1].memory.visits = false
            case 2: kept.remove(at: 0)
            case 3: kept.append(try monitor(fixAt: 4))
            case 4: kept = []
            default: break
            }
            let saved = saved(kept)
            #expect(try saved.encoded(reusing: &pieces) == saved.encoded(), "change \(change)")
            #expect(try SavedMonitors(saved.encoded(reusing: &pieces)) == saved)
        }
    }

    @Test func fixOfTheSameBootKeepsItsAge() throws {
        #expect(age(saved([try monitor(fixAt: 490)]), now: 600, wall: 1, boot: "a") == 110)
    }

    @Test func fixOfAnEarlierBootIsNeverFresh() throws {
        let saved = saved([try monitor(fixAt: 490)])
        #expect(age(saved, now: 3, wall: 1_000_060) == 70)
        #expect(age(saved, now: 3, wall: 1_000_000) == 10)
        #expect(
            age(saved, now: 100, wall: 1_000_000) == 100,
            "a clock that stood still cannot make it younger than the boot")
        #expect(age(saved, now: 3, wall: 999_999) == nil, "a clock that went back tells nothing")
        let states = saved.monitors(now: BootInstant(seconds: 3), wallClock: UTCTime(seconds: 1), bootID: "b")
            .map(\.memory.regions.first?.state)
        #expect(states == [.inside], "the state stays for the next fix to confirm")
        #expect(age(saved, now: 3, wall: 1_000_060, boot: nil) == 70)
    }

    @Test func fixThatADiskHasSpoiltIsForgotten() throws {
        var kept = try monitor(fixAt: 490)
        kept.memory.regions[0].location?.speed = -1
        #expect(age(saved([kept]), now: 600, wall: 1, boot: "a") == nil)
    }

    @Test func fixFromTheFutureIsNotTakenForOne() throws {
        #expect(age(saved([try monitor(fixAt: 9000)]), now: 600, wall: 1, boot: "a") == 0)
        #expect(try #require(age(saved([try monitor(fixAt: 9000)]), now: 3, wall: 1_000_000)) >= 3)
    }

    @Test(arguments: ["", "{", "[]", "{\"version\":2}", "\0\0\0\0", "{\"version\":1,\"monitors\":[{}]}"])
    func unusableFileIsSetAside(_ text: String) throws {
        let directory = try TemporaryFolder()
        let log = RecordedLog()
        try Data(text.utf8).write(to: URL(fileURLWithPath: directory.path + "/monitors.json"))
        let store = MonitorStore(directory: directory.path, logger: Logger(label: "test") { _ in log })
        #expect(store.load().isEmpty)
        #expect(log.lines.count == 1)
        #expect(FileManager.default.contents(atPath: directory.path + "/monitors.json.unusable") == Data(text.utf8))
        #expect(store.load().isEmpty && log.lines.count == 1)
    }

    @Test func mutilatedFileNeverTraps() throws {
        let whole = try saved([try monitor(fixAt: 490), try monitor(fixAt: 1, name: "b")]).encoded()
        var survivors = 0
        for index in whole.indices {
            for byte in [0, UInt8(ascii: "9"), UInt8(ascii: "\""), UInt8(ascii: "-"), 0xFF] {
                var bytes = whole
                bytes[index] = byte
                guard let read = try? SavedMonitors(bytes) else { continue }
                survivors += 1
                let monitors = read.monitors(
                    now: BootInstant(seconds: 3), wallClock: UTCTime(seconds: 1_000_060), bootID: "b")
                #expect(monitors.count == 2)
            }
        }
        #expect(survivors > 100)
    }
}
