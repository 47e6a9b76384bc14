import Foundation
@_spi(Programs) import LocationModel
import ProgramTestSupport
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
                    return NMEASentences.record(for: location)
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

    /// The numbers are those of each system. Of the used satellites gpsd 3.22 knows those whose numbers only one system
    /// has, because it does not read the number of the system in GSA; nor does it know QZSS' talker.
    @Test func satellitesAreReadBack() async throws {
        func satellite(_ gnss: String, _ id: Int, used: Bool, _ angle: Double) -> Satellite {
            var satellite = Satellite(gnss: gnss, id: id, used: used)
            (satellite.elevation, satellite.azimuth, satellite.signal) = (angle, angle * 4, angle / 2 + 10)
            return satellite
        }
        let sky = [
            satellite("GPS", 7, used: true, 10), satellite("GPS", 32, used: false, 20),
            satellite("GPS", 9, used: true, 30),
            satellite("GPS", 21, used: true, 32), satellite("SBAS", 123, used: true, 40),
            satellite("GLONASS", 24, used: true, 50),
            satellite("GLONASS", 3, used: false, 60), satellite("Galileo", 36, used: false, 70),
            satellite("BeiDou", 37, used: false, 80),
        ]
        let report = try await blocking {
            let gpsd = try GPSDReader()
            var second = Int64(Date().timeIntervalSince1970)
            var format = NMEASentences()
            var location = try Sample.full()
            return try gpsd.report(of: "SKY", within: Self.limit) {
                second += 1
                location.timestamp = UTCTime(seconds: second, nanoseconds: 0)
                return format.record(for: location) + format.record(for: sky)
            } accept: {
                $0.satellites?.count == sky.count && $0.satellites?.first?.used == true
            }
        }
        #expect(report.hdop == 0.9 && report.vdop == 1.3 && report.pdop == 1.6)
        let systems = ["GPS": 0, "SBAS": 1, "Galileo": 2, "BeiDou": 3, "GLONASS": 6]
        let expected = sky.map {
            GPSDReader.SkySatellite(
                gnssid: systems[$0.gnss], svid: $0.id, el: $0.elevation, az: $0.azimuth, ss: $0.signal, used: $0.used)
        }
        #expect(Set(report.satellites ?? []) == Set(expected), "\(report)")
    }

    @Test func locationWithoutTimeIsReadBackWithoutTime() async throws {
        let location = try Sample.full()
        let report = try await blocking {
            var undated = location
            undated.timestamp = nil
            let text = NMEASentences.record(for: undated)
            return try GPSDReader().report(within: Self.limit, feed: { text }, accept: { $0.speed != nil })
        }
        #expect(report.time == nil)
        #expect(report.lat == location.coordinate.latitude && report.lon == location.coordinate.longitude)
        #expect(report.track == 271.5)
    }
}
