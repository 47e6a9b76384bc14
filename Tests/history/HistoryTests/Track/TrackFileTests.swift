import Foundation
import GRDB
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

@testable import TrackHistory

/// What is written to a file is read from it, by this program and by others, and what is wrong is said.
@Suite struct TrackFileTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder("track.gpkg")
    }

    /// A day: at home, a drive, a stay, the drive back.
    private func day() throws -> Drive {
        var drive = Drive(at: try #require(Coordinate(latitude: 52, longitude: 13)))
        drive.stay(seconds: 900)
        drive.move(seconds: 600, speed: 15, bearing: 40)
        drive.stay(seconds: 900)
        drive.wait(seconds: 30)
        drive.move(seconds: 300, speed: 20, bearing: 220, turn: 0.1)
        drive.stay(seconds: 900)
        return drive
    }

    /// Writes the locations as the service does, a few in each transaction.
    @discardableResult
    private func write(_ drive: Drive, to file: TrackFile, each count: Int = 7) async throws -> TrackRecorder {
        var recorder = TrackRecorder(.init(), after: try file.memory())
        var changes: [TrackChange] = []
        for (index, location) in drive.points.enumerated() {
            changes += recorder.add(location, at: drive.now)
            guard index % count == 0 else { continue }
            try await file.write(changes, visit: recorder.visitMemory)
            changes = []
        }
        try await file.write(changes, visit: recorder.visitMemory)
        return recorder
    }

    private func points(_ reader: TrackReader, _ selection: TrackReader.Selection = .init()) throws -> [TrackPoint] {
        var points: [TrackPoint] = []
        var position: TrackReader.Position?
        repeat {
            let page = try reader.points(selection, after: position, limit: 50)
            points += page.points
            position = page.next
        } while position != nil
        return points
    }

    /// As SQLite has it on the connection that writes: a loss of power takes nothing that a write has returned for.
    @Test func eachWriteIsOnTheDiskWhenItReturns() async throws {
        for _ in 0..<2 {
            let file = try TrackFile(at: path)
            let settings = try await file.pool.writeWithoutTransaction { database in
                [
                    try String.fetchOne(database, sql: "PRAGMA journal_mode"),
                    // 2 is FULL, 3 EXTRA; 1 is NORMAL, with which the last transactions before a loss of power are
                    // lost.
                    try Int.fetchOne(database, sql: "PRAGMA synchronous").map(String.init),
                ]
            }
            #expect(settings == ["wal", "2"], "a new file, and one that is opened again")
        }
    }

    @Test func dayIsReadAsItWasDriven() async throws {
        let drive = try day()
        let file = try TrackFile(at: path)
        try await write(drive, to: file)
        let trips = try file.reader.trips()
        #expect(trips.count == 2)
        #expect(abs((trips[0].distance ?? 0) - 9000) < 60 && abs((trips[1].distance ?? 0) - 6000) < 60, "\(trips)")
        #expect(trips[0].maximumSpeed == 15 && trips[1].maximumSpeed == 20)
        var selection = TrackReader.Selection()
        selection.trip = trips[0]
        let points = try points(file.reader, selection)
        #expect(points.count >= 10 && points.allSatisfy { $0.location.source.name == "gpsd" })
        let kept = Set(drive.points.map(\.coordinate))
        #expect(points.allSatisfy { kept.contains($0.location.coordinate) && $0.location.horizontalAccuracy == 3 })
        #expect(try TrackReader(at: path).trips() == trips)
    }

    /// A program that ends cancels what it does: the points that it has are in the file.
    @Test func writeIsDoneToItsEndThoughItsTaskIsCancelled() async throws {
        let (file, drive) = (try TrackFile(at: path), try day())
        let writing = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await write(drive, to: file)
            try await file.setPaused(since: UTCTime("2026-02-20T12:00:00Z"))
        }
        try await writing.value
        #expect(try points(TrackReader(at: path)).count > 10)
    }

    @Test func batchesMakeNoDifference() async throws {
        let drive = try day()
        var tracks: [[TrackPoint]] = []
        for (name, count) in [("one", 1), ("many", 1000)] {
            let file = try TrackFile(at: folder(name))
            try await write(drive, to: file, each: count)
            tracks.append(try points(file.reader))
        }
        #expect(tracks[0] == tracks[1])
    }

    @Test func trackGoesOnInTheSameFile() async throws {
        var drive = try day()
        try await write(drive, to: try TrackFile(at: path))
        let count = drive.points.count
        drive.move(seconds: 600, speed: 15, bearing: 40)
        drive.stay(seconds: 900)
        let file = try TrackFile(at: path)
        var recorder = TrackRecorder(.init(), after: try file.memory())
        let changes = drive.points[count...].flatMap { recorder.add($0, at: drive.now) }
        try await file.write(changes, visit: recorder.visitMemory)
        #expect(try file.reader.trips().count == 3)
        let stays = try await DatabaseQueue(path: path).read { try Int.fetchOne($0, sql: "SELECT count(*) FROM stays") }
        #expect(stays == 4)
    }

    /// GDAL's own validator, with its further checks.
    @Test func fileIsAValidGeoPackage() async throws {
        let file = try TrackFile(at: path)
        try await write(try day(), to: file)
        let validator = "/usr/lib/python3/dist-packages/osgeo_utils/samples/validate_gpkg.py"
        let outcome = try await ChildProcess("/usr/bin/python3", [validator, "--extra", path]).outcome()
        #expect(outcome.code == 0, "\(outcome.output)")
        let script = """
            import sys
            from osgeo import ogr
            ogr.UseExceptions()
            source = ogr.Open(sys.argv[1])
            for name in ("points", "trips", "stays", "gaps"):
                layer = source.GetLayerByName(name)
                print(name, ogr.GeometryTypeToName(layer.GetGeomType()), layer.GetSpatialRef().GetAuthorityCode(None))
            trip = source.GetLayerByName("trips").GetNextFeature()
            print(trip.GetGeometryRef().GetPointCount() > 8, trip.GetField("begin"))
            """
        let read = try await ChildProcess("/usr/bin/python3", ["-c", script, path]).outcome()
        #expect(
            read.output.hasPrefix(
                "points Point 4326\ntrips Line String 4326\nstays Point 4326\ngaps Line String 4326\nTrue 2026/"),
            "\(read.output)")
    }

    @Test func tripHasItsFirstHundredMetres() async throws {
        var drive = Drive(at: try #require(Coordinate(latitude: 52, longitude: 13)))
        drive.noise = 0.6
        drive.stay(seconds: 600)
        drive.noise = 0
        drive.move(seconds: 300, speed: 12, bearing: 40)
        drive.stay(seconds: 400)
        let file = try TrackFile(at: path)
        try await write(drive, to: file)
        let (trips, stays) = (try file.reader.trips(), try file.reader.stays())
        let trip = try #require(trips.first)
        #expect(trips.count == 1 && abs((trip.distance ?? 0) - 3600) < 3, "\(trip)")
        #expect(trip.duration.map { abs($0 - 300) <= 1 } == true && trip.begin == stays.first?.departure)
        #expect(stays.map { $0.accuracy < 6 } == [true, true], "\(stays)")
        var selection = TrackReader.Selection()
        selection.trip = trip
        let line = try points(file.reader, selection)
        #expect(try #require(line.first).location.coordinate.distance(to: drive.points[0].coordinate) < 1.5)
    }

    /// The file has a radius that holds the locations of a stay that lasts, too.
    @Test func radiusOfAStayThatLastsGrowsWithIt() async throws {
        var drive = Drive(at: try #require(Coordinate(latitude: 52, longitude: 13)))
        drive.stay(seconds: 400)
        let file = try TrackFile(at: path)
        try await write(drive, to: file)
        let before = try #require(try file.reader.stays().first)
        #expect(before.accuracy < 5)
        let first = drive.points.count
        drive.move(seconds: 20, speed: 2, bearing: 90)
        drive.stay(seconds: 200)
        var recorder = TrackRecorder(.init(), after: try file.memory())
        let changes = drive.points[first...].flatMap { recorder.add($0, at: drive.now) }
        try await file.write(changes, visit: recorder.visitMemory)
        let stays = try file.reader.stays()
        let stay = try #require(stays.first)
        #expect(stays.count == 1 && stay.departure == nil && (40..<60).contains(stay.accuracy), "\(stay)")
    }

    /// A stay could not end by a visit that is not known.
    @Test func stayWithoutItsVisitIsNotResumed() async throws {
        var drive = Drive(at: try #require(Coordinate(latitude: 52, longitude: 13)))
        drive.stay(seconds: 600)
        let file = try TrackFile(at: path)
        try await write(drive, to: file)
        #expect(try file.memory().stay != nil)
        try await DatabaseQueue(path: path).write {
            try $0.execute(sql: "DELETE FROM locationd_state WHERE key = 'visit'")
        }
        let first = drive.points.count
        drive.move(seconds: 300, speed: 12, bearing: 40)
        var recorder = TrackRecorder(.init(), after: try file.memory())
        let changes = drive.points[first...].flatMap { recorder.add($0, at: drive.now) }
        try await file.write(changes, visit: recorder.visitMemory)
        #expect(try file.reader.trips().contains { $0.end == nil })
    }

    @Test func tripThatLastsHasItsDistanceSoFar() async throws {
        var drive = Drive(at: try #require(Coordinate(latitude: 52, longitude: 13)))
        drive.stay(seconds: 600)
        drive.move(seconds: 300, speed: 12, bearing: 40)
        let file = try TrackFile(at: path)
        try await write(drive, to: file)
        let lasting = try #require(try file.reader.trips().last)
        #expect(lasting.end == nil && lasting.distance == nil && lasting.duration == nil)
        #expect(abs((lasting.distanceSoFar ?? 0) - 3600) < 3 && lasting.durationSoFar == 300, "\(lasting)")
        // Also by who reads the file without the service.
        #expect(try TrackReader(at: path).trips().last == lasting)
        let first = drive.points.count
        drive.stay(seconds: 400)
        var recorder = TrackRecorder(.init(), after: try file.memory())
        let changes = drive.points[first...].flatMap { recorder.add($0, at: drive.now) }
        try await file.write(changes, visit: recorder.visitMemory)
        let ended = try #require(try file.reader.trips().last)
        #expect(ended.number == lasting.number && ended.distance.map { abs($0 - 3600) < 3 } == true)
        #expect(ended.distanceSoFar == nil && ended.durationSoFar == nil)
    }

    /// Positions are in the geometry of each layer: none may outlive its time.
    @Test func whatEndsBeforeTheMomentIsRemovedFromEachLayer() async throws {
        var drive = Drive(at: try #require(Coordinate(latitude: 52, longitude: 13)))
        for bearing in [40.0, 130, 220, 310] {
            drive.stay(seconds: 600)
            drive.move(seconds: 300, speed: 15, bearing: bearing)
            drive.wait(seconds: 200)
            drive.move(seconds: 300, speed: 15, bearing: bearing)
        }
        drive.stay(seconds: 600)
        let file = try TrackFile(at: path)
        try await write(drive, to: file)
        let layers = [("points", "time"), ("trips", "end"), ("stays", "departure"), ("gaps", "end")]
        let ends: @Sendable (Database) throws -> [[String]] = { database in
            try layers.map { layer, end in
                try String.fetchAll(database, sql: "SELECT \(end) FROM \(layer) WHERE \(end) IS NOT NULL ORDER BY 1")
            }
        }
        let queue = try DatabaseQueue(path: path)
        let before = try await queue.read(ends)
        #expect(before.dropFirst().allSatisfy { $0.count == 4 }, "\(before.dropFirst())")
        // In the middle of the third trip, in a gap.
        let moment = try #require(UTCTime(before[3][2])).advanced(bySeconds: -1)
        try await file.prune(before: moment, size: nil)
        let after = try await queue.read(ends)
        #expect(after == before.map { $0.filter { $0 >= moment.description } })
        #expect(after.dropFirst().map(\.count) == [2, 1, 2])
        let lasting = try await queue.read {
            try Int.fetchOne($0, sql: "SELECT count(*) FROM stays WHERE departure IS NULL")
        }
        #expect(lasting == 1)
    }

    @Test func oldestIsRemovedAndItsSpaceGivenBack() async throws {
        var drive = Drive(at: try #require(Coordinate(latitude: 52, longitude: 13)))
        for leg in 0..<400 { drive.move(seconds: 60, speed: 20, bearing: leg % 2 == 0 ? 0 : 120, turn: 3) }
        let file = try TrackFile(at: path)
        try await write(drive, to: file, each: 1000)
        let before = try points(file.reader)
        let middle = before[before.count / 2].time
        let removed = try await file.prune(before: middle, size: nil)
        #expect(removed == before.count / 2)
        #expect(try points(file.reader) == Array(before[(before.count / 2)...]))
        let pages = try await DatabaseQueue(path: path).read { try Int.fetchOne($0, sql: "PRAGMA freelist_count") }
        #expect(pages == 0)
        try await file.prune(before: nil, size: 100_000)
        #expect(try points(file.reader).count <= TrackFile.portion)
    }

    @Test func filesThatCannotBeUsedAreExplained() throws {
        func mistake(_ name: String, _ prepare: (String) throws -> Void) throws -> String {
            try prepare(folder(name))
            let error = #expect(throws: TrackFileError.self) { _ = try TrackFile(at: folder(name)) }
            return try String(#require(error).description.dropFirst(folder(name).count))
        }
        #expect(
            try mistake("text") {
                try String(repeating: "no database ", count: 100).write(toFile: $0, atomically: true, encoding: .utf8)
            }
                == ": it is not a GeoPackage; name another file")
        #expect(
            try mistake("other") { path in
                try DatabaseQueue(path: path).inDatabase { try $0.execute(sql: "CREATE TABLE a (b)") }
            } == ": it is not a track of locationd-history; name another file")
        #expect(
            try mistake("newer") { path in
                _ = try TrackFile(at: path)
                try DatabaseQueue(path: path).inDatabase {
                    try $0.execute(sql: "UPDATE locationd_state SET value = '2'")
                }
            } == ": it has version 2, and this program version 1; use the program that has written it, or a newer one")
        #expect(
            try mistake("absent/track.gpkg") { _ in }
                == ": it cannot be opened; check that its directory exists and may be written")
    }

    @Test func damagedFileIsSaid() async throws {
        try await write(try day(), to: try TrackFile(at: path))
        try await DatabaseQueue(path: path).writeWithoutTransaction { database in
            _ = try Row.fetchAll(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
        let handle = try #require(FileHandle(forUpdatingAtPath: path))
        try handle.seek(toOffset: 4096)
        try handle.write(contentsOf: Data(repeating: 0xFF, count: 40_000))
        try handle.close()
        let error = #expect(throws: TrackFileError.self) {
            let file = try TrackFile(at: path)
            _ = try file.memory()
            _ = try points(file.reader)
        }
        #expect(error?.description.contains("it is damaged; keep a copy") == true)
    }

    /// Other programs may write the tables too.
    @Test(
        arguments: [
            "UPDATE points SET geom = 'here'", "UPDATE points SET geom = x'00'", "UPDATE points SET time = '1999-01'",
            "UPDATE points SET speed = 'fast'", "UPDATE points SET source = x'00'",
            "UPDATE points SET simulated = 'no'",
            "UPDATE trips SET begin = 7.5", "UPDATE trips SET distance = 'far'",
        ])
    func valuesOfOtherTypesAreSaid(statement: String) async throws {
        try await write(try day(), to: try TrackFile(at: path), each: 1000)
        try await DatabaseQueue(path: path).write { try $0.execute(sql: statement) }
        let error = #expect(throws: TrackFileError.self) {
            _ = try points(TrackReader(at: path))
            _ = try TrackReader(at: path).trips()
        }
        #expect(error?.description.contains("it is damaged; keep a copy") == true, "\(String(describing: error))")
    }
}
