@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

@testable import TrackHistory

/// What is left out of a track is within the stated error, whatever the machine does.
@Suite struct TrackThinningTests {
    /// The kept locations of a drive.
    private func thinned(_ locations: [Location], _ settings: TrackThinning.Settings = .init()) -> [TrackPoint] {
        var thinning = TrackThinning(settings)
        var kept: [TrackPoint] = []
        for location in locations {
            let point = TrackPoint(location, at: Drive.begin)
            if thinning.add(point) { kept.removeLast() }
            kept.append(point)
        }
        return kept
    }

    /// Metres between a location and the track at its moment, by the geodesic.
    private func error(of location: Location, in track: [TrackPoint]) throws -> Double {
        let point = TrackPoint(location, at: Drive.begin)
        let after = try #require(track.firstIndex { $0.time >= point.time })
        guard track[after].time > point.time else {
            return track[after].location.coordinate.distance(to: location.coordinate)
        }
        let (from, to) = (track[after - 1], track[after])
        let share = point.time.seconds(since: from.time) / to.time.seconds(since: from.time)
        let (a, b) = (from.location.coordinate, to.location.coordinate)
        guard let bearing = a.initialBearing(to: b) else { return a.distance(to: location.coordinate) }
        return a.coordinate(atDistance: share * a.distance(to: b), bearing: bearing).distance(to: location.coordinate)
    }

    /// Over the antimeridian, too.
    @Test(arguments: [13, 179.98]) func straightRoadIsItsEndsAndTheInterval(longitude: Double) throws {
        var drive = Drive(at: try #require(Coordinate(latitude: 52, longitude: longitude)))
        drive.move(seconds: 180, speed: 20, bearing: 80)
        #expect(thinned(drive.points).map { $0.time.seconds(since: Drive.begin) } == [1, 61, 121, 180])
    }

    @Test(arguments: [(52.0, 13.0), (-33.0, 179.999), (69.6, -18.9), (0.0, 0.0)], 1...5 as ClosedRange<UInt64>)
    func errorIsWithinItsBound(place: (Double, Double), seed: UInt64) throws {
        let start = try #require(Coordinate(latitude: place.0, longitude: place.1))
        var generator = SeededGenerator(seed: seed)
        var drive = Drive(seed: seed, at: start)
        drive.noise = 2
        for _ in 0..<40 {
            drive.move(
                seconds: .random(in: 1...60, using: &generator), speed: .random(in: 0...60, using: &generator),
                bearing: .random(in: 0..<360, using: &generator), turn: .random(in: -20...20, using: &generator))
        }
        for bound in [2.5, 5, 25] {
            var settings = TrackThinning.Settings()
            settings.maximumError = bound
            let track = thinned(drive.points, settings)
            #expect(track.count < drive.points.count, "nothing was left out")
            for location in drive.points {
                let error = try error(of: location, in: track)
                #expect(error <= bound + 0.05, "\(error) m at \(location)")
            }
        }
    }

    @Test func stopOnAStraightRoadIsKept() throws {
        var drive = Drive(at: try #require(Coordinate(latitude: 52, longitude: 13)))
        drive.move(seconds: 20, speed: 20, bearing: 0)
        drive.stay(seconds: 20)
        drive.move(seconds: 10, speed: 20, bearing: 0)
        let moments = thinned(drive.points).map { $0.time.seconds(since: Drive.begin) }
        #expect(
            moments.contains { (19...21).contains($0) } && moments.contains { (39...41).contains($0) }, "\(moments)")
    }

    @Test func locationBeforeABreakIsKept() throws {
        var drive = Drive(at: try #require(Coordinate(latitude: 52, longitude: 13)))
        drive.move(seconds: 30, speed: 20, bearing: 80)
        var thinning = TrackThinning(.init())
        let removed = drive.points.enumerated().filter { index, location in
            thinning.add(TrackPoint(location, at: Drive.begin), isBreak: index == 20)
        }.map(\.offset)
        #expect(!removed.contains(20) && !removed.contains(21) && removed.contains(19) && removed.contains(22))
    }
}
