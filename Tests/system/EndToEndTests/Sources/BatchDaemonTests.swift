import ClientTestSupport
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

/// Locations that the built daemon sends together.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct BatchDaemonTests {
    @Test func delayedWatchGetsWhatAnotherGets() throws {
        let daemon = try DaemonProcess(Settings.simulator(rate: 10))
        let prompt = try daemon.watch()
        let delayed = try daemon.watch { $0.maximumDelay = 1 }
        try waitUntil("two batches have come", within: 60) { delayed.locations.count >= 25 }
        let first = try #require(delayed.locations.first?.sequence)
        let count = delayed.locations.count
        try waitUntil("the other has as many", within: 60) {
            prompt.locations.last.map { $0.sequence > first + Int64(count) } ?? false
        }
        let sequences = delayed.locations.prefix(count).map(\.sequence)
        #expect(sequences == prompt.locations.map(\.sequence).filter { $0 >= first }.prefix(count).map { $0 })
        #expect(delayed.dropped == 0)
        // The age is that at sending: the first of a batch has waited for the others.
        let ages = delayed.replies.compactMap(\.location?.age)
        #expect((ages.max() ?? 0) > 0.3, "\(ages)")
    }

    @Test func endOfTheDaemonSendsWhatIsHeld() throws {
        let daemon = try DaemonProcess(Settings.simulator(rate: 10))
        let prompt = try daemon.watch()
        let delayed = try daemon.watch { $0.maximumDelay = 3600 }
        try waitUntil("both have begun", within: 60) { prompt.locations.count >= 5 && !delayed.replies.isEmpty }
        let held = try #require(prompt.locations.last?.sequence)
        #expect(try daemon.stop() == 0)
        try waitUntil("the watch has ended", within: 60) { delayed.end != nil }
        #expect(
            delayed.locations.last.map { $0.sequence >= held } == true, "\(held), \(delayed.locations.map(\.sequence))")
        #expect(delayed.replies.last?.status?.reason == "stopping" && delayed.isFinal && delayed.dropped == 0)
    }

    @Test func commandWritesTheLocationsOfItsBatches() throws {
        let daemon = try DaemonProcess(Settings.simulator(rate: 10))
        let answer = try daemon.locctl("watch", "--format", "geojsonl", "--max-delay", "0.7", "--count", "20")
        #expect(answer.code == 0 && answer.lines.count == 20, "\(answer)")
        #expect(try daemon.locctl("watch", "--max-delay", "0").code == 2)
        #expect(try daemon.locctl("watch", "--max-delay", "3601").code == 2)
        #expect(try daemon.locctl("watch", "--max-delay", "60", "--satellites").code == 2)
    }

    @Test func managerObservesThemInOrder() throws {
        let daemon = try DaemonProcess(Settings.simulator(rate: 10))
        let manager = LocationManager(LocationConfiguration(socketPath: daemon.socket))
        let record = ValueRecorder<Location>()
        manager.addObserver(Observer<Location> { record.append($0) })
        manager.maximumDelay = 1
        manager.startUpdating()
        try waitUntil("three batches have come", within: 60) { record.values.count > 25 }
        manager.stopUpdating()
        let sequences = record.values.map(\.sequence)
        #expect(sequences == (0..<Int64(sequences.count)).map { (sequences.first ?? 0) + $0 })
    }
}
