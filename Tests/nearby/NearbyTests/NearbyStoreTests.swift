import AccessPoints
import Foundation
import GRDB
import LocationModel
import ProgramTestSupport
import Testing

@testable import locationd_nearby

@Suite struct NearbyStoreTests {
    private let folder: TemporaryFolder
    private let key = AddressKey(bytes: [UInt8](repeating: 7, count: 32))

    init() throws { folder = try TemporaryFolder() }

    private func store(key: AddressKey? = nil) throws -> NearbyStore {
        try NearbyStore(at: folder("places.sqlite"), key: key ?? self.key)
    }

    /// RFC 4231, test cases 1 and 2.
    @Test(arguments: [
        (
            [UInt8](repeating: 0x0B, count: 20), "Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
    ])
    func hashIsThatOfTheStandard(key: [UInt8], message: String, hash: String) {
        let found = AddressKey(bytes: key).hash(of: Array(message.utf8))
        #expect(found.map { String(format: "%02x", $0) }.joined() == hash)
    }

    @Test func whatIsRememberedIsThereAgain() async throws {
        let records = [
            address(1): known(at: try place(), spread: 12.5, count: 3, lastDay: 9, moves: 1),
            address(2): known(at: try place(east: 30)),
        ]
        var calibration = AccuracyCalibration()
        calibration.compare(error: 5, accuracy: 1)
        try await store().write(records, calibration)
        let store = try store()
        #expect(try store.known(of: [address(1), address(2), address(3)]) == records)
        #expect(try store.summary().count == 2 && store.calibration() == calibration)
    }

    /// The other place of one that was received elsewhere is remembered, too, and what was stated as exactly as no
    /// place is known.
    @Test func whatIsSpecialIsThereAgain() async throws {
        var stray = known(at: try place())
        stray.candidate = PlaceCandidate(coordinate: try place(east: 900), spread: 21, day: 12)
        let exact = KnownAccessPoint(statedAt: try place(), accuracy: 1e-300, day: 3)
        #expect(exact.weight == 0.5, "bounded as that of many places")
        try await store().write([address(1): stray, address(2): exact], AccuracyCalibration())
        let store = try store()
        #expect(try store.known(of: [address(1), address(2)]) == [address(1): stray, address(2): exact])
        #expect(try store.summary() == .init(count: 2, firstDay: 1, lastDay: 12))
    }

    /// As another program, or a fault of the disk, may leave it.
    private func change(_ sql: String) throws {
        try DatabaseQueue(path: folder("places.sqlite")).write { try $0.execute(sql: sql) }
    }

    /// A record that cannot be read is unknown, keeps nothing else from being known, and is forgotten with whatever is.
    @Test(arguments: [
        "latitude = 'north'", "latitude = 91", "longitude = 9e999", "spread = 0", "spread = 9e999", "spread = x'00'",
        "weight = 'heavy'", "weight = -1", "count = 0", "count = 9223372036854775807", "first_day = -1",
        "first_day = 2932897", "first_day = 2.5", "last_day = 9223372036854775807", "last_day = 'today'", "moves = -1",
        "stated = 2", "candidate_day = 1", "candidate_day = 'x'",
    ])
    func recordThatCannotBeReadIsUnknown(change: String) async throws {
        try await store().write([address(1): known(at: try place())], AccuracyCalibration())
        try self.change("UPDATE access_point SET \(change)")
        let store = try store()
        try await store.write([address(2): known(at: try place())], AccuracyCalibration())
        #expect(try Set(store.known(of: [address(1), address(2)]).keys) == [address(2)])
        let summary = try store.summary()
        let days = [try #require(summary.firstDay), try #require(summary.lastDay)]
        #expect(summary.count == 2 && days.allSatisfy(Days.possible.contains))
        let elsewhere = PlaceSelection(circle: .init(center: try place(east: 5000), radius: 1))
        #expect(try await store.forget(elsewhere) == 1)
        #expect(try store.summary().count == 1 && store.known(of: [address(2)]).count == 1)
    }

    /// No number at all, as where the table has lost its conditions; and a hash that is none.
    @Test func tableOfAnotherProgramIsForgotten() async throws {
        try await store().write([:], AccuracyCalibration(factor: 2, count: 9))
        try change(
            """
            DROP TABLE access_point;
            CREATE TABLE access_point (hash, latitude, longitude, spread, weight, count, first_day, last_day, moves, stated,
                candidate_latitude, candidate_longitude, candidate_spread, candidate_day);
            INSERT INTO access_point (hash) VALUES ('text'), (7);
            INSERT INTO access_point (hash, last_day) VALUES (x'00', 9223372036854775807);
            DELETE FROM calibration;
            INSERT INTO calibration VALUES ('much', 9223372036854775807);
            """)
        let store = try store()
        #expect(try store.summary() == .init(count: 3) && store.calibration() == AccuracyCalibration())
        #expect(try await store.forget(PlaceSelection(since: 5)) == 3)
        #expect(try store.summary().count == 0)
    }

    /// The numbers of a calibration are bounded, and one more comparison is no overflow.
    @Test func calibrationIsBounded() async throws {
        try await store().write([:], AccuracyCalibration(factor: 2))
        try change("UPDATE calibration SET factor = 9e999, count = 9223372036854775807")
        var calibration = try store().calibration()
        calibration.compare(error: 1, accuracy: 1)
        #expect(AccuracyCalibration.factors.contains(calibration.factor))
    }

    /// The file of the version before has no other places.
    @Test func fileOfTheVersionBeforeIsReadOn() async throws {
        let record = known(at: try place())
        try await store().write([address(1): record], AccuracyCalibration())
        let added = ["latitude", "longitude", "spread", "day"].map {
            "ALTER TABLE access_point DROP COLUMN candidate_\($0);"
        }
        try change(added.joined() + "PRAGMA user_version = 2")
        var stray = known(at: try place())
        stray.candidate = PlaceCandidate(coordinate: try place(east: 900), spread: 21, day: 12)
        for _ in 0..<2 {
            let store = try store()
            #expect(try store.known(of: [address(1)]) == [address(1): record])
            try await store.write([address(2): stray], AccuracyCalibration())
            #expect(try store.known(of: [address(2)]) == [address(2): stray])
        }
    }

    @Test(arguments: [1, 4]) func filesOfOtherVersionsAreRefused(version: Int) async throws {
        try await store().write([:], AccuracyCalibration())
        try change("PRAGMA user_version = \(version)")
        let error = #expect(throws: NearbyStoreError.self) { try store() }
        #expect(error?.description.contains("of another version of locationd-nearby") == true)
    }

    /// Of one that was received elsewhere its place stays where only the other is forgotten.
    @Test func otherPlaceIsForgottenAlone() async throws {
        let store = try store()
        var stray = known(at: try place(), lastDay: 9)
        stray.candidate = PlaceCandidate(coordinate: try place(east: 900), spread: 21, day: 12)
        try await store.write([address(1): stray], AccuracyCalibration())
        let other = PlaceSelection(circle: .init(center: try place(east: 900), radius: 100))
        #expect(try await store.forget(PlaceSelection(since: 13)) == 0)
        #expect(try store.known(of: [address(1)])[address(1)] == stray)
        #expect(try await store.forget(other) == 0)
        #expect(try store.known(of: [address(1)])[address(1)] == known(at: place(), lastDay: 9))
        #expect(try await store.forget(PlaceSelection(since: 9)) == 1)
    }

    @Test func fileNamesNoAccessPoint() async throws {
        let store = try store()
        try await store.write([address(1): known(at: try place())], AccuracyCalibration())
        // Open, what was written last is in the second file.
        for name in ["places.sqlite", "places.sqlite-wal"] {
            let data = try #require(FileManager.default.contents(atPath: folder(name)))
            #expect(!data.isEmpty && data.range(of: Data(address(1).bytes)) == nil, "\(name)")
        }
        let log = try #require(FileManager.default.contents(atPath: folder("places.sqlite-wal")))
        #expect(log.range(of: Data(key.hash(of: address(1)))) != nil)
        #expect(try store.summary().count == 1)
    }

    /// Another key's hashes would never be found again.
    @Test func otherKeyIsRefused() async throws {
        try await store().write([address(1): known(at: try place())], AccuracyCalibration())
        let other = AddressKey(bytes: [UInt8](repeating: 8, count: 32))
        let error = #expect(throws: NearbyStoreError.self) { try store(key: other) }
        #expect(error?.description.contains("was made with another key; restore the key") == true)
    }

    @Test func otherFilesAreLeftAlone() throws {
        try folder.write("no database, but long enough to be read as one", to: "places.sqlite")
        let error = #expect(throws: NearbyStoreError.self) { try store() }
        #expect(error?.description.contains("it is damaged; remove it") == true)
        let content = try String(contentsOfFile: folder("places.sqlite"), encoding: .utf8)
        #expect(content.hasPrefix("no database"))
    }

    @Test func summaryCountsAndHasTheDays() async throws {
        let store = try store()
        #expect(try store.summary() == .init(count: 0))
        try await store.write(
            [address(1): known(at: try place(), lastDay: 7), address(2): known(at: try place(), lastDay: 12)],
            AccuracyCalibration())
        #expect(try store.summary() == .init(count: 2, firstDay: 1, lastDay: 12))
    }

    @Test func whatMeetsEachConditionIsForgotten() async throws {
        let store = try store()
        let records = [
            address(1): known(at: try place(), lastDay: 5), address(2): known(at: try place(east: 90), lastDay: 9),
            address(3): known(at: try place(east: 500), lastDay: 9),
        ]
        try await store.write(records, AccuracyCalibration())
        var selection = PlaceSelection(circle: .init(center: try place(), radius: 100), since: 6)
        #expect(try await store.forget(selection) == 1)
        #expect(try Set(store.known(of: Array(records.keys)).keys) == [address(1), address(3)])
        selection = PlaceSelection(until: 0)
        #expect(try await store.forget(selection) == 0, "received on day 1 at the earliest")
        #expect(try await store.forget(PlaceSelection(until: 1)) == 2)
        #expect(try store.summary().count == 0)
    }

    /// Neither the file nor the one beside it has what was forgotten.
    @Test func whatIsForgottenIsGoneFromTheDisk() async throws {
        let store = try store()
        try await store.write([address(1): known(at: try place())], AccuracyCalibration())
        #expect(try await store.forget(PlaceSelection()) == 1)
        for name in ["places.sqlite", "places.sqlite-wal"] {
            let data = FileManager.default.contents(atPath: folder(name)) ?? Data()
            #expect(data.range(of: Data(key.hash(of: address(1)))) == nil, "\(name)")
        }
    }

    @Test func oldAndSurplusOnesAreForgotten() async throws {
        var records: [HardwareAddress: KnownAccessPoint] = [:]
        for day in 1...20 { records[address(day)] = known(at: try place(), lastDay: day) }
        let store = try store()
        try await store.write(records, AccuracyCalibration())
        #expect(try await store.prune(before: 6, maximumCount: 100) == 5)
        #expect(try await store.prune(before: 6, maximumCount: 10) == 5)
        #expect(Set(try store.known(of: Array(records.keys)).values.map(\.lastDay)) == Set(11...20))
    }
}

@Suite struct DaysTests {
    /// Days that can be written as moments, and the nearest of those where a clock says others.
    @Test(arguments: [
        (0, 0), (86_399, 0), (86_400, 1), (-1, 0), (Int64.min, 0), (253_402_300_799, 2_932_896),
        (253_402_300_800, 2_932_896), (Int64.max, 2_932_896),
    ])
    func numbersArePossible(second: Int64, day: Int) {
        #expect(Days.number(of: UTCTime(seconds: second)) == day)
        #expect("\(Days.begin(of: day))".count == 24)
    }
}

@Suite struct AddressKeyTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func aKeyIsMadeOnceForItsOwnerAlone() throws {
        let first = try AddressKey.load(from: folder("key"))
        let second = try AddressKey.load(from: folder("key"))
        #expect(first.mark == second.mark)
        var entry = stat()
        #expect(stat(folder("key"), &entry) == 0 && entry.st_mode & 0o777 == 0o600 && entry.st_size == 32)
        #expect(try AddressKey.load(from: folder("other")).mark != first.mark)
    }

    @Test(arguments: ["", "short", String(repeating: "x", count: 33)])
    func otherFilesAreNoKeys(content: String) throws {
        try folder.write(content, to: "key")
        let error = #expect(throws: AddressKeyError.self) { try AddressKey.load(from: folder("key")) }
        #expect(error?.description.contains("no key of 32 bytes") == true)
        #expect(try String(contentsOfFile: folder("key"), encoding: .utf8) == content)
    }

    @Test func aMissingFolderIsSaid() {
        let error = #expect(throws: AddressKeyError.self) { try AddressKey.load(from: folder("none/key")) }
        #expect(error?.description.contains("cannot be made (No such file or directory); check its directory") == true)
    }
}

@Suite(.timeLimit(.minutes(10))) struct ObservationFileTests {
    /// Of a hundred mistakes one is logged, and the observations between them count.
    @Test func mistakesAreSaidOnce() async throws {
        let folder = try TemporaryFolder()
        func line(_ device: Int, _ signal: Int) -> String {
            #"{"accessPoints": [{"bssid": "\#(address(device).text)", "signal": \#(signal), "ssid": "home"}]}"#
        }
        let lines = [line(1, 61)] + [String](repeating: "no observation", count: 100) + [line(2, -61)]
        try folder.write(lines.joined(separator: "\n") + "\n", to: "observations")
        let log = RecordedLog()
        let (stream, continuation) = AsyncStream.makeStream(of: AccessPointObservation.self)
        let file = ObservationFile(path: folder("observations"), logger: log.logger)
        let reading = Task { await file.read { continuation.yield($0) } }
        var found: [[ReceivedAccessPoint]] = []
        for await observation in stream {
            found.append(observation.usable)
            if found.count == 2 { break }
        }
        reading.cancel()
        await reading.value
        #expect(found == [[], [received(2, signal: -61)]])
        let reason = "a signal that is not from -110 to -1 dBm; its access point is left out"
        #expect(log.lines == ["warning: observations cannot be used (\(reason))"])
    }
}

@Suite struct ObservationLineTests {
    private let now = BootInstant(seconds: 100)

    private func read(_ text: String) -> Result<AccessPointObservation, ObservationLine.Mistake> {
        Result { () throws(ObservationLine.Mistake) in try ObservationLine.observation(Array(text.utf8), at: now) }
    }

    @Test func aLineIsAnObservation() throws {
        let line =
            #"{"time": 99.5, "accessPoints": [{"bssid": "00:1a:00:00:01:00", "signal": -61, "frequency": 2437, "ssid": "home"}]}"#
        #expect(
            try read(line).get()
                == AccessPointObservation(time: BootInstant(seconds: 99.5), accessPoints: [received(1, signal: -61)]))
        #expect(try read(#"{"accessPoints": []}"#).get() == AccessPointObservation(time: now, accessPoints: []))
        // A little ahead of the clock is now.
        #expect(try read(#"{"time": 100.5, "accessPoints": []}"#).get().time == now)
    }

    @Test(arguments: [
        ("", ObservationLine.Mistake.notJSON), ("[]", .notJSON),
        (#"{"accessPoints": [{"bssid": "00:1a:00:00:01:00"}]}"#, .notJSON),
        (#"{"accessPoints": [{"bssid": "router", "signal": -60}]}"#, .noAddress),
        (#"{"time": 102, "accessPoints": []}"#, .future),
        (#"{"time": 1e400, "accessPoints": []}"#, .notJSON),
    ])
    func othersAreMistakes(line: String, mistake: ObservationLine.Mistake) { #expect(read(line) == .failure(mistake)) }
}
