@_spi(Programs) import LocationModel
import Testing

@testable import LocationFormats

struct KMLTests {
    private static let namespace = "http://www.opengis.net/kml/2.2"

    private func placemarks(_ locations: [Location], longestGap: Double? = 30) throws -> [GPXReader.Element] {
        var document = KMLDocument(longestGap: longestGap)
        let text = document.opening + locations.map { document.record(for: $0) }.joined() + document.closing
        let root = try GPXReader.root(of: text)
        #expect(root.name == Self.named("kml"))
        return root[Self.named("Document"), Self.named("Placemark")]
    }

    private static func named(_ name: String) -> String { "\(namespace) \(name)" }

    private func text(_ element: GPXReader.Element, _ path: String...) -> String? {
        path.reduce([element]) { found, name in found.flatMap { $0[Self.named(name)] } }.first?.text
    }

    private func points(_ placemarks: [GPXReader.Element]) -> [GPXReader.Element] {
        placemarks.filter { !$0[Self.named("Point")].isEmpty }
    }

    private func lines(_ placemarks: [GPXReader.Element]) -> [[Substring]] {
        placemarks.compactMap { text($0, "LineString", "coordinates")?.split(separator: " ") }
    }

    private func data(_ placemark: GPXReader.Element) -> [String: String] {
        let all = placemark[Self.named("ExtendedData"), Self.named("Data")]
        return Dictionary(
            uniqueKeysWithValues: all.map { ($0.attributes["name"] ?? "", text($0, "value") ?? "") })
    }

    @Test func aPlacemarkSaysWhatIsKnown() throws {
        let placemark = try #require(try placemarks([Sample.full()]).first)
        // The schema's order.
        #expect(
            placemark.children.map(\.name)
                == ["TimeStamp", "styleUrl", "ExtendedData", "Point"].map { Self.named($0) })
        #expect(text(placemark, "TimeStamp", "when") == "2026-03-01T12:00:00.250Z")
        #expect(text(placemark, "Point", "coordinates") == "13.3777,52.5163,34.2", "above mean sea level")
        #expect(text(placemark, "Point", "altitudeMode") == "absolute")
        let data = data(placemark)
        #expect(data["speed_m_per_s"] == "5.25" && data["horizontalAccuracy_m"] == "2.5" && data["hdop"] == "0.9")
        #expect(data["device"] == "/dev/ttyACM0" && data["method"] == "gnss" && data["isSimulated"] == nil)
    }

    @Test func absentIsLeftOut() throws {
        let placemark = try #require(try placemarks([Sample.bare(-0.0, 180)]).first)
        #expect(text(placemark, "TimeStamp", "when") == nil)
        #expect(text(placemark, "Point", "coordinates") == "180,0")
        #expect(text(placemark, "Point", "altitudeMode") == "clampToGround")
        #expect(Set(data(placemark).keys) == ["mode", "source", "method"])
    }

    @Test(arguments: Sample.absurdNumbers)
    func absurdNumbersAreWellFormed(number: Double) throws {
        let placemark = try #require(try placemarks([Sample.absurd(number)]).first)
        let coordinates = try #require(text(placemark, "Point", "coordinates"))
        #expect(coordinates.split(separator: ",").allSatisfy { Double($0)?.isFinite == true })
    }

    @Test func namesAreEscaped() throws {
        var location = try Sample.bare()
        location.source.name = "a<b>&\"'\u{1}"
        #expect(data(try #require(try placemarks([location]).first))["source"] == "a<b>&\"'\u{FFFD}")
    }

    @Test func aLineEndsWhereItWouldMislead() throws {
        var simulated = try Sample.bare(5, 5, seconds: 42)
        simulated.source.method = .replayed
        let all = try placemarks([
            Sample.bare(1, 1, seconds: 0), Sample.bare(2, 2, seconds: 10), Sample.bare(3, 3, seconds: 41),
            Sample.bare(4, 4, seconds: 42), simulated,
        ])
        #expect(points(all).count == 5)
        #expect(lines(all) == [["1,1", "2,2"], ["3,3", "4,4"]])
        let styles = points(all).map { text($0, "styleUrl") }
        #expect(styles == Array(repeating: "#measured", count: 4) + ["#not-measured"])
    }

    @Test func aLongLineIsInPartsThatShareTheirEnds() throws {
        let count = 2 * KMLDocument.lineLimit + 10
        let all = try placemarks((0..<count).map { try Sample.bare(0, Double($0) / 100, seconds: Double($0)) })
        let lines = lines(all)
        #expect(lines.map(\.count) == [1000, 1000, 12])
        #expect(lines[0].last == lines[1].first && lines[1].last == lines[2].first)
        #expect(points(all).count == count)
    }

    @Test func aLineHasAltitudesOnlyWhereAllAreKnown() throws {
        var high = try Sample.bare(1, 1, seconds: 0)
        high.altitude = 100
        var higher = try Sample.bare(2, 2, seconds: 1)
        higher.altitude = 110
        #expect(lines(try placemarks([high, higher])) == [["1,1,100", "2,2,110"]])
        #expect(lines(try placemarks([high, Sample.bare(2, 2, seconds: 1)])) == [["1,1", "2,2"]])
    }
}
