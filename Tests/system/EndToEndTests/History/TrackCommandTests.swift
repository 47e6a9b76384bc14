import ClientTestSupport
import Foundation
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing
import TrackHistory

/// `locctl track` and `locctl trips` of a file, without the service.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct TrackCommandTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder("track.gpkg")
    }

    private func locctl(_ arguments: String..., zone: String = "UTC") throws -> DaemonProcess.Answer {
        let child = try LoggedProcess(Products.command, arguments, environment: ["TZ": zone])
        let code = try child.wait(within: 60)
        return DaemonProcess.Answer(code: code, output: child.output, errors: child.errors)
    }

    private static func point(_ time: UTCTime, step: Int, isSimulated: Bool = false) throws -> TrackPoint {
        let coordinate = try #require(Coordinate(latitude: 52 + 0.001 * Double(step), longitude: 13))
        var location = Location(
            coordinate: coordinate, mode: .threeDimensional, monotonicTime: BootInstant(seconds: Double(step)),
            source: SourceInformation(name: "gps <&> d", isSimulated: isSimulated))
        (location.timestamp, location.altitude, location.speed) = (time, 34.5, 11)
        return TrackPoint(location, at: time)
    }

    /// Two trips of 600 points each, ten seconds apart, with a gap between; and a simulated point.
    private func makeTrack() async throws {
        let begin = try #require(UTCTime("2026-03-01T12:00:00Z"))
        let points = try (0..<1200).map { step in
            try Self.point(begin.advanced(bySeconds: Double(step * 10 + (step < 600 ? 0 : 3600))), step: step)
        }
        var changes: [TrackChange] = [.beginTrip(points[0].time)] + points[..<600].map(TrackChange.add)
        changes.append(.endTrip(points[599].time, maximumSpeed: 12))
        changes.append(.addGap(from: points[599], to: points[600]))
        changes.append(.beginTrip(points[600].time))
        changes += points[600...].map(TrackChange.add)
        changes.append(.add(try Self.point(points[1199].time.advanced(bySeconds: 10), step: 1200, isSimulated: true)))
        try await TrackFile(at: path).write(changes, visit: nil)
    }

    /// GDAL reads each of them, and finds every point, and where the line is broken.
    @Test(arguments: [("gpx", "1200 [2] 0\n"), ("geojson", "1200 [] 0\n"), ("kml", "1200 [] 1200\n")])
    func fileIsReadByOthers(format: String, shapes: String) async throws {
        try await makeTrack()
        let target = folder("track.\(format)")
        let answer = try locctl("track", "--file", path, "--format", format, "-o", target)
        #expect(answer.code == 0 && answer.errors == "1200 locations written to \(target)\n", "\(answer)")
        let script = """
            import sys
            from osgeo import gdal, ogr
            gdal.UseExceptions(); ogr.UseExceptions()
            source = ogr.Open(sys.argv[1])
            shapes = []
            for layer in source:
                for feature in layer:
                    shape = feature.GetGeometryRef()
                    shapes.append((shape.GetGeometryName(), shape.GetGeometryCount(), shape.GetPointCount()))
            print(sum(shape[0] == "POINT" for shape in shapes),
                  [shape[1] for shape in shapes if shape[0] == "MULTILINESTRING"],
                  sum(shape[2] for shape in shapes if shape[0] == "LINESTRING"))
            """
        let check = try LoggedProcess("/usr/bin/python3", ["-c", script, target])
        #expect(try check.wait() == 0, "\(check.errors)")
        #expect(check.output == shapes, "\(check.output)")
        if let schema = format == "gpx" ? XMLSchema.gpx : format == "kml" ? .kml : nil {
            let complaints = try schema.complaints(about: String(contentsOfFile: target, encoding: .utf8))
            #expect(complaints.isEmpty, "\(complaints)")
        }
        #expect(try locctl("track", "--file", path, "--format", format, "-o", target).errors.contains("File exists"))
    }

    @Test func linesAndSentencesHaveEveryPoint() async throws {
        try await makeTrack()
        let lines = try locctl("track", "--file", path, "--format", "geojsonl").output.split(separator: "\n")
        #expect(lines.count == 1200 && lines.allSatisfy { $0.hasPrefix(#"{"type":"Feature","#) })
        let sentences = try locctl("track", "--file", path, "--format", "nmea").output.split(separator: "\r\n")
        #expect(["GGA", "RMC", "GSA"].allSatisfy { kind in sentences.count { $0.hasPrefix("$GP\(kind),") } == 1200 })
    }

    @Test func tableHasEveryPointOfATrip() async throws {
        try await makeTrack()
        let table = try locctl("track", "--file", path, "--format", "csv", "--trip", "1").output
        let lines = table.split(separator: "\r\n")
        #expect(lines.count == 601 && lines[1].hasPrefix("2026-03-01T12:00:00.000Z,52,13,"), "\(lines.prefix(2))")
        let list = try locctl("track", "--file", path, "--from", "2026-03-01 14:39", "--include-simulated").output
        #expect(list.hasPrefix("2026-03-01 14:40:00.0  52.6"), "\(list)")
        #expect(list.split(separator: "\n").count == 601 && list.contains("simulated"), "\(list)")
        let gap = try locctl("track", "--file", path, "--from", "2026-03-01 13:39", "--to", "2026-03-01 14:40").output
        #expect(gap.contains("-- no locations\n2026-03-01 14:40:00.0  52.600000, 13.000000  "), "\(gap)")
    }

    @Test func tripsAreListed() async throws {
        try await makeTrack()
        let trips = try locctl("trips", "--file", path).output
        #expect(
            trips.contains("1     2026-03-01 12:00:00  2026-03-01 13:39:50  67 km     99.8 min")
                || trips.contains("100 min"))
        let lasting = trips.split(separator: "\n").last?.split(separator: "  ").map { $0.trimmingPrefix(" ") }
        #expect(lasting == ["2", "2026-03-01 14:40:00", "lasts", "67 km so far", "100 min so far", "-"], "\(trips)")
        let there = try locctl("trips", "--file", path, zone: "Europe/Berlin").output
        #expect(there.contains("2     2026-03-01 15:40:00  lasts "), "\(there)")
        let first = try locctl("trips", "--file", path, "--to", "2026-03-01 13:00", "--json").output
        let reply = try JSONDecoder().decode(TripsReply.self, from: Data(first.utf8))
        #expect(reply.trips.map(\.number) == [1] && reply.trips[0].maximumSpeed == 12)
        #expect(try locctl("trips", "--file", path, "--from", "2027-01-01", "--to", "2027-12-31").output.contains("2 "))
        #expect(try locctl("trips", "--file", path, "--stays").output == "No stay is recorded there.\n")
    }

    /// A day of a machine's zone, of which one has 25 hours.
    @Test(arguments: [
        ("Europe/Berlin", "2026-10-25", 25, "2026-10-24T22:00:00.000Z"),
        ("America/St_Johns", "2026-10-25", 24, "2026-10-25T02:30:00.000Z"),
        ("UTC", "2026-02-28", 24, "2026-02-28T00:00:00.000Z"),
    ])
    func dayIsThatOfTheZone(zone: String, day: String, hours: Int, first: String) async throws {
        let begin = try #require(UTCTime("\(day)T00:00:00Z")).advanced(bySeconds: -86_400)
        let points = try (0..<144).map { try Self.point(begin.advanced(bySeconds: Double($0) * 1800), step: $0) }
        try await TrackFile(at: path).write(points.map(TrackChange.add), visit: nil)
        let table = try locctl("track", "--file", path, "--format", "csv", "--from", day, "--to", day, zone: zone)
            .output
        let lines = table.split(separator: "\r\n").dropFirst()
        #expect(lines.count == 2 * hours && lines.first?.hasPrefix(first) == true, "\(lines)")
    }

    @Test func mistakesSayWhatToDo() async throws {
        try await makeTrack()
        let text = try folder.write(String(repeating: "no database ", count: 100), to: "text")
        for (arguments, code, words) in [
            (["track", "--file", folder("absent")], Int32(1), "absent: No such file or directory; check the path"),
            (["track", "--file", text], 1, "text: it is not a GeoPackage; name another file"),
            (["track", "--file", path, "--trip", "9"], 1, "there is no such trip; `locctl trips` lists them"),
            (["track", "--file", path, "--from", "2027-01-01"], 5, "nothing is recorded there; `locctl trips` lists"),
            (["track", "--file", path, "--from", "2026-02-29"], 2, "is invalid for '--from <time>'"),
            (["track", "--file", path, "--from", "2026-02-20 24:00"], 2, "is invalid for '--from <time>'"),
            (["track", "--file", path, "--from", "today", "--to", "yesterday"], 2, "--from is after --to"),
            (["track", "--file", path, "--json", "--format", "gpx"], 2, "--json cannot be used with --format"),
            (
                ["trips", "--history-socket", folder("none")], 3,
                "(No such file or directory); install the package locationd-history, `sudo systemctl enable --now locationd-history`"
            ),
            (["track", "pause", "--history-socket", folder("none")], 3, "install the package locationd-history"),
        ] {
            let child = try LoggedProcess(Products.command, arguments)
            #expect(try child.wait(within: 60) == code, "\(arguments) \(child.errors)")
            #expect(child.errors.contains(words), "\(arguments) \(child.errors)")
        }
    }
}
