import ClientTestSupport
import Foundation
import Glibc
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing
import TrackHistory

/// A drive of 24 minutes, played 60 times as fast, with the network away five times: all of it is at the broker and in
/// the track.
@Suite(.serialized, .timeLimit(.minutes(10))) struct DriveArrivalTests {
    private static let table = ProcessInfo.processInfo.environment["LOCATIOND_DRIVE"]

    @Test func simulatedDriveArrivesWhole() async throws {
        try await expectArrival(of: RecordedDrive(simulatedSeconds: 24 * 60))
    }

    @Test(.enabled(if: table != nil, "LOCATIOND_DRIVE names no table of a drive; see `make drive`"))
    func realDriveArrivesWhole() async throws {
        try await expectArrival(of: RecordedDrive(table: #require(Self.table)))
    }

    private func expectArrival(of drive: RecordedDrive) async throws {
        let folder = try TemporaryFolder()
        try drive.writeRecording(to: folder("drive"))
        let daemon = try await DaemonProcess.started(
            "[[sources]]\nkind = \"replay\"\nfile = \"\(folder("drive"))\"\nspeed = 60\n")
        let broker = try Mosquitto()
        let subscriber = try await broker.startWithSubscriber()

        // The replay begins when all are connected.
        func locctl(_ command: String) async throws -> String {
            try await ChildProcess(Products.command, [command, "--socket", daemon.control]).outcome().output
        }
        _ = try await locctl("stop")
        let seen = ValueRecorder<Location>()
        let manager = LocationManager(LocationConfiguration(socketPath: daemon.control, purpose: "the test"))
        manager.addObserver(Observer<Location>(requestsUpdates: true) { seen.append($0) })
        let track = folder("track.gpkg")
        let history = try start("locationd-history", "", ["--file", track], daemon, in: folder)
        let fleet = try start(
            "locationd-fleet", "[reports]\ninterval = 0\ndistance = 0\n[outbox]\ndrain-rate = 1000\n",
            [
                "--broker", broker.address, "--user", "anna", "--device", "car", "--outbox", folder("outbox.sqlite"),
            ], daemon, in: folder)
        try await eventually("all are connected", details: { history.errors + fleet.errors }) {
            let clients = try await locctl("clients")
            return ["the test", "track history", "publishes the position"].allSatisfy { clients.contains($0) }
        }
        _ = try await locctl("start")

        for outage in 1...5 {
            try await eventually("a part is driven", details: { fleet.errors + history.errors }) {
                seen.count >= outage * drive.fixes.count / 6
            }
            try await broker.end()
            let before = seen.count
            try await eventually("the drive goes on") { seen.count >= min(before + 60, drive.fixes.count) }
            try await broker.start()
            try await broker.awaitSubscriber()
        }

        let expected = Set(drive.fixes.map(Report.init))
        var arrived: [String: Report] = [:]
        try await eventually(
            "all arrive", within: 120, details: { "\(arrived.count) of \(expected.count) \(fleet.errors)" }
        ) {
            // What arrives twice has one number.
            arrived = try Dictionary(subscriber.received.compactMap(Report.numbered)) { first, second in
                guard first == second else { throw Failure("\(first) is also \(second)") }
                return first
            }
            if arrived.count >= expected.count { return true }
            try await Task.sleep(for: .milliseconds(500))
            return false
        }
        #expect(Set(arrived.values) == expected && arrived.count == drive.fixes.count)
        try await eventually("the track has its end", details: { history.errors }) {
            try points(of: track).last?.time == drive.fixes.last?.timestamp
        }
        for process in [fleet, history] {
            process.signal(SIGTERM)
            #expect(try await blocking { try process.wait() } == 0, "\(process.errors)")
        }
        let recorded = try points(of: track)
        try expectSmallError(of: recorded, against: drive)
        try await expectValidFiles(of: track, points: recorded.count, in: folder)
        _ = manager
    }

    private func start(
        _ program: String, _ configuration: String, _ arguments: [String], _ daemon: DaemonProcess,
        in folder: TemporaryFolder
    ) throws -> LoggedProcess {
        try LoggedProcess(
            Products.path(of: program),
            arguments + [
                "--config", try folder.write(configuration, to: program + ".toml"), "--daemon", daemon.control,
                "--include-simulated",
            ])
    }

    private func points(of track: String) throws -> [TrackPoint] {
        var selection = TrackReader.Selection()
        selection.includesSimulated = true
        return try TrackReader(at: track).points(selection, limit: 1_000_000).points
    }

    /// Compares each fix with the place at its moment on the straight line between two points of the track.
    private func expectSmallError(of points: [TrackPoint], against drive: RecordedDrive) throws {
        #expect(points.first?.time == drive.fixes.first?.timestamp && points.last?.time == drive.fixes.last?.timestamp)
        var (index, largest) = (0, 0.0)
        for fix in drive.fixes {
            let time = try #require(fix.timestamp)
            while index + 1 < points.count - 1, points[index + 1].time < time { index += 1 }
            let (from, to) = (points[index], points[index + 1])
            let share = time.seconds(since: from.time) / to.time.seconds(since: from.time)
            let (begin, end) = (from.location.coordinate, to.location.coordinate)
            let place = try #require(
                Coordinate(
                    latitude: begin.latitude + share * (end.latitude - begin.latitude),
                    longitude: begin.longitude + share * (end.longitude - begin.longitude)))
            largest = max(largest, place.distance(to: fix.coordinate))
        }
        print("\(drive.fixes.count) fixes, \(points.count) points in the track, at most \(largest) m off")
        // The default of `maximum-error`, and a tenth of a metre between a straight line on a map and one on the
        // ellipsoid.
        #expect(largest <= 5.1)
        #expect(points.count < drive.fixes.count / 2)
    }

    /// What other programs read is valid: the GeoPackage by GDAL's validator, with its further checks, and the GPX, of
    /// which GDAL reads every point.
    private func expectValidFiles(of track: String, points: Int, in folder: TemporaryFolder) async throws {
        let validator = "/usr/lib/python3/dist-packages/osgeo_utils/samples/validate_gpkg.py"
        let outcome = try await ChildProcess("/usr/bin/python3", [validator, "--extra", track]).outcome()
        #expect(outcome.code == 0, "\(outcome.output)")
        let written = try await ChildProcess(
            Products.command,
            ["track", "--file", track, "--include-simulated", "--format", "gpx", "-o", folder("track.gpx")]
        ).outcome()
        #expect(written.code == 0, "\(written.output)")
        let script = """
            import sys
            from osgeo import ogr
            ogr.UseExceptions()
            source = ogr.Open(sys.argv[1])
            print(source.GetLayerByName("track_points").GetFeatureCount())
            """
        let read = try await ChildProcess("/usr/bin/python3", ["-c", script, folder("track.gpx")]).outcome()
        // It may warn of values of extensions, whose types it guesses.
        #expect(read.code == 0 && read.output.split(separator: "\n").last == "\(points)", "\(read)")
    }

    /// What of a fix a subscriber of OwnTracks' messages receives.
    private struct Report: Hashable {
        let time: Int64?
        let latitude: Double?
        let longitude: Double?

        init(_ fix: Location) {
            // As OwnTracks has it, a centimetre.
            func rounded(_ degrees: Double) -> Double { (degrees * 1e7).rounded() / 1e7 }
            time = fix.timestamp?.seconds
            (latitude, longitude) = (rounded(fix.coordinate.latitude), rounded(fix.coordinate.longitude))
        }

        private init(_ message: MosquittoSubscriber.Received) {
            time = (message.member("tst") as? Int).map { Int64($0) }
            (latitude, longitude) = (message.member("lat") as? Double, message.member("lon") as? Double)
        }

        /// - Returns: `nil` for a message that is no location.
        static func numbered(_ message: MosquittoSubscriber.Received) -> (String, Report)? {
            guard message.member("_type") as? String == "location" else { return nil }
            return message.id.map { ($0, Report(message)) }
        }
    }
}
