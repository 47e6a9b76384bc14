import Foundation
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

@testable import LocationFormats

/// Whole documents, as the schemas of others and gpsbabel read them.
@Suite(.timeLimit(.minutes(10))) struct OtherReadersTests {
    /// Of everything that a location may have: measured, simulated, bare, and with numbers and names that no receiver
    /// should give.
    private func locations() throws -> [Location] {
        var simulated = try Sample.full(-52.5163, -13.3777)
        simulated.source = SourceInformation(name: "<&>\"'\u{1B}\u{7}", device: "]]>", method: .simulated)
        simulated.implausibility = .jump
        simulated.accuracyBasis = .fromDOP
        simulated.errorEllipse = ErrorEllipse(longitudeError: 3, latitudeError: 4)
        var all = [try Sample.full(), try Sample.full(52.5164), simulated, try Sample.bare(-0.0, 180)]
        for augmentation in [Augmentation?.none, .precise, .rtkFixed, .rtkFloat, .deadReckoning, .timeOnly] {
            var location = try Sample.full()
            location.augmentation = augmentation
            all.append(location)
        }
        for (latitude, longitude) in Sample.edges { all.append(try Sample.full(latitude, longitude)) }
        for number in Sample.absurdNumbers { all.append(try Sample.absurd(number)) }
        return all
    }

    private func document(_ name: LocationFormatName, _ locations: [Location]) -> String {
        var format = name.makeFormat()
        var text = format.opening
        for (index, location) in locations.enumerated() {
            if index % 4 == 3 { format.interrupt() }
            text += format.record(for: location)
        }
        return text + format.closing
    }

    @Test(arguments: [(LocationFormatName.gpx, XMLSchema.gpx), (.kml, .kml)])
    func documentsAreValidByTheirSchemas(name: LocationFormatName, schema: XMLSchema) async throws {
        let (all, none) = (document(name, try locations()), document(name, []))
        let complaints = try await blocking { try schema.complaints(about: all) + schema.complaints(about: none) }
        #expect(complaints.isEmpty, "\(complaints)")
        // The validator would have something to say.
        let wrong = all.replacing("</\(name)>", with: "<wrong/></\(name)>")
        #expect(try await blocking { try schema.complaints(about: wrong) }.contains("not expected"))
    }

    @Test func geoJSONIsOneDocumentAndItsLinesAreMany() throws {
        let locations = try locations()
        for some in [locations, []] {
            let object = try JSONSerialization.jsonObject(with: Data(document(.geojson, some).utf8)) as? [String: Any]
            #expect(object?["type"] as? String == "FeatureCollection")
            #expect((object?["features"] as? [Any])?.count == some.count)
        }
        let lines = document(.geojsonl, locations).split(separator: "\n")
        #expect(lines.count == locations.count)
        #expect(throws: Never.self) { try lines.map { try JSONSerialization.jsonObject(with: Data($0.utf8)) } }
    }

    /// gpsbabel takes the last column that is called something like altitude, speed or course.
    @Test func gpsbabelTakesAltitudeAboveTheSeaSpeedAndCourseOfTheTable() async throws {
        let table = document(.csv, [try Sample.full()])
        let track = try await blocking {
            let folder = try TemporaryFolder()
            let file = try folder.write(table, to: "table.csv")
            let reader = try LoggedProcess(
                "gpsbabel", ["-t", "-i", "unicsv", "-f", file, "-o", "gpx,gpxver=1.0", "-F", "-"])
            guard try reader.wait() == 0 else { throw Failure(reader.errors) }
            return reader.output
        }
        for part in [
            "lat=\"52.516300000\"", "lon=\"13.377700000\"", "<ele>34.200</ele>",
            "<time>2026-03-01T12:00:00.250Z</time>",
            "<course>271.500000</course>", "<speed>5.250000</speed>", "<sat>9</sat>", "<hdop>0.900000</hdop>",
            "<vdop>1.300000</vdop>", "<pdop>1.600000</pdop>",
        ] {
            #expect(track.contains(part), "\(track)")
        }
    }
}
