import GRDB
import Glibc
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

@testable import TrackHistory

/// Files that somebody has made to do harm: they are read in bounded time and memory, or not at all.
@Suite(.timeLimit(.minutes(10))) struct HostileTrackTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder("track.gpkg")
    }

    /// A track with one point, which a statement makes hostile.
    private func write(_ sql: String) async throws {
        let coordinate = try #require(Coordinate(latitude: 52, longitude: 13))
        let location = Location(
            coordinate: coordinate, mode: .twoDimensional, monotonicTime: BootInstant(seconds: 1),
            source: SourceInformation(name: "gpsd"))
        let point = TrackPoint(location, at: UTCTime(seconds: 1_780_000_000))
        do {
            let file = try TrackFile(at: path)
            try await file.write([.beginTrip(point.time), .add(point)], visit: nil)
        }
        try await DatabaseQueue(path: path).writeWithoutTransaction { try $0.execute(sql: sql) }
    }

    /// - Returns: what is wrong with the file, or nothing.
    private func complaint() -> String? {
        do throws(TrackFileError) {
            let reader = try TrackReader(at: path)
            var position: TrackReader.Position?
            repeat {
                position = try reader.points(.init(), after: position, limit: 500).next
            } while position != nil
            _ = try (reader.trips(), reader.stays(), reader.span(), reader.end(), reader.pausedSince())
            return nil
        } catch {
            return error.description
        }
    }

    @Test func trackOfOursIsRead() async throws {
        try await write("SELECT 1")
        #expect(complaint() == nil)
    }

    /// A view is a program: it may be endless, or make values of any size. None of ours is one.
    @Test(arguments: [
        "DROP TABLE gaps; CREATE VIEW gaps AS SELECT 1 id, x'00' geom, '' begin, '' end",
        """
        DROP TABLE trips; CREATE VIEW Trips AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n)
        SELECT i id, x'00' geom, '' begin, '' end, 0 distance, 0 duration, 0 maximum_speed FROM n
        """,
        "DROP TABLE stays; CREATE VIEW stays AS SELECT 1 id, zeroblob(900000000) geom, '' arrival, '' departure, 1 accuracy",
        """
        CREATE TABLE state AS SELECT * FROM locationd_state; DROP TABLE locationd_state;
        CREATE VIEW locationd_state AS SELECT key, value FROM state
        """,
        "DROP TABLE gaps; CREATE VIRTUAL TABLE gaps USING fts4(begin, end)",
    ])
    func viewIsNoTrack(_ sql: String) async throws {
        try await write(sql)
        let begin = ContinuousClock.now
        #expect(complaint() == "\(path): it is not a track of locationd-history; name another file")
        #expect(ContinuousClock.now - begin < .seconds(20))
    }

    /// A column of a table may be computed, too, and a value be as large as the file.
    @Test(arguments: [
        """
        ALTER TABLE points RENAME TO p;
        CREATE TABLE points (id INTEGER PRIMARY KEY, time TEXT, altitude, speed, course, horizontal_accuracy, vertical_accuracy,
        satellites, source TEXT, method TEXT, simulated, geom AS (zeroblob(900000000 + id)));
        INSERT INTO points (time, source, method, simulated) SELECT time, source, method, simulated FROM p
        """,
        "UPDATE points SET source = hex(zeroblob(3000000))",
        "UPDATE points SET source = hex(zeroblob(1000))",
        "UPDATE trips SET begin = hex(zeroblob(1500000))",
    ])
    func largeValueIsDamage(_ sql: String) async throws {
        try await write(sql)
        let begin = ContinuousClock.now
        #expect(complaint()?.contains("it is damaged") == true, "\(complaint() ?? "nothing")")
        #expect(ContinuousClock.now - begin < .seconds(20))
    }

    @Test(arguments: ["speed = 'fast'", "altitude = x'00'"])
    func valueOfAnotherTypeIsDamage(_ change: String) async throws {
        try await write("UPDATE points SET \(change)")
        #expect(complaint()?.contains("it is damaged") == true, "\(complaint() ?? "nothing")")
    }

    @Test(arguments: ["", "-journal", "-wal"]) func pipeHoldsNobodyUp(_ suffix: String) async throws {
        if !suffix.isEmpty { try await write("PRAGMA journal_mode = DELETE") }
        unlink(path + suffix)
        try #require(mkfifo(path + suffix, 0o600) == 0)
        #expect(complaint() == "\(path): it is not a regular file; name another file")
    }
}
