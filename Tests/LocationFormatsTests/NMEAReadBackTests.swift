import Foundation
import LocationModel
import TestSupport
import Testing

@testable import LocationFormats

/// Real gpsd reads our sentences, and reports what was written.
@Suite(.serialized)
struct NMEAReadBackTests {
    private static let limit = 20.0

    /// What gpsd reports of each location, one after the other, with times a second apart.
    private func readBack(_ locations: [Location], milliseconds: Int64 = 0) async throws -> [GPSDReader.TPV] {
        try await blocking {
            let gpsd = try GPSDReader()
            // Near now, so that gpsd has no reason to doubt the date.
            var second = Int64(Date().timeIntervalSince1970)
            return try locations.map { location in
                var times: Set<String> = []
                return try gpsd.report(within: Self.limit) {
                    second += 1
                    var location = location
                    location.timestamp = UTCTime(seconds: second, nanoseconds: milliseconds * 1_000_000)
                    times.insert(location.timestamp?.description ?? "")
                    return NMEASentences().record(for: location)
                } accept: { report in
                    // Altitude is the first sentence's, speed the second one's: both have been read.
                    times.contains(report.time ?? "") && report.altMSL != nil && report.speed != nil
                }
            }
        }
    }

    @Test func everyFieldIsReadBack() async throws {
        let location = try Sample.full(-52.516312345, -13.377712345)
        let report = try #require(try await readBack([location], milliseconds: 120).first)
        #expect(report.mode == 3)
        #expect(report.altMSL == 34.2)
        #expect(report.altHAE == 73.7)
        #expect(report.geoidSep == 39.5)
        #expect(report.track == 271.5)
        #expect(report.magvar == 4.5)
        #expect(abs(try #require(report.speed) - 5.25) < 0.003)
    }

    @Test func positionsAreReadBackToACentimetre() async throws {
        let locations = try Sample.edges.map { latitude, longitude in
            var location = try Sample.full(latitude, longitude)
            // The longest sentences have the fewest decimals that a position on the ground gets.
            location.altitude = -10_000.25
            return location
        }
        let reports = try await readBack(locations)
        for (location, report) in zip(locations, reports) {
            let north = try abs(#require(report.lat) - location.coordinate.latitude) * 111_700
            let east = try abs(#require(report.lon) - location.coordinate.longitude) * 111_400
            #expect(north < 0.01 && east < 0.01, "\(location.coordinate) \(report)")
        }
        #expect(reports.count == locations.count)
    }

    @Test func qualityIsReadBackAsGpsdsStatus() async throws {
        // What gpsd calls normal it does not report; its other numbers are in its JSON protocol, TPV's `status`.
        let statuses: [(Augmentation?, Int?)] = [
            (nil, nil), (.dgps, 2), (.rtkFixed, 3), (.rtkFloat, 4), (.deadReckoning, 5), (.timeOnly, 7),
            (.simulated, 8), (.precise, 9), (.gnssDeadReckoning, nil),
        ]
        let locations = try statuses.map { augmentation, _ in
            var location = try Sample.full()
            location.augmentation = augmentation
            return location
        }
        #expect(try await readBack(locations).map(\.status) == statuses.map(\.1))
    }

    @Test func locationWithoutTimeIsReadBackWithoutTime() async throws {
        let location = try Sample.full()
        let report = try await blocking {
            var undated = location
            undated.timestamp = nil
            let text = NMEASentences().record(for: undated)
            return try GPSDReader().report(within: Self.limit, feed: { text }, accept: { $0.speed != nil })
        }
        #expect(report.time == nil)
        #expect(report.lat == location.coordinate.latitude && report.lon == location.coordinate.longitude)
        #expect(report.track == 271.5)
    }
}
