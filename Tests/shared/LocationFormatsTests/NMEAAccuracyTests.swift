@_spi(Programs) import LocationModel
import Testing

@testable import LocationFormats

/// GST: the errors of a location.
struct NMEAAccuracyTests {
    private func fields(_ location: Location) -> [String] {
        NMEASentences.record(for: location).split(separator: "\r\n").last { $0.contains("GST,") }
            .map {
                $0.split(separator: "*")[0].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            }
            ?? []
    }

    @Test func aCircleIsItsRadiusInBothDirections() throws {
        #expect(fields(try Sample.full()) == ["$GPGST", "120000.25", "", "", "", "", "2.50", "2.50", "4.25"])
        var location = try Sample.bare()
        location.horizontalAccuracy = 0.0141
        #expect(fields(location) == ["$GPGST", "", "", "", "", "", "0.014", "0.014", ""])
    }

    @Test(arguments: [
        (0.0, "4.00", "3.00"), (90, "3.00", "4.00"), (45, "3.54", "3.54"), (30, "3.77", "3.28"), (150, "3.77", "3.28"),
    ])
    func anEllipseIsTurnedToLatitudeAndLongitude(orientation: Double, latitude: String, longitude: String) throws {
        var location = try Sample.full()
        location.errorEllipse = ErrorEllipse(
            semiMajorAxis: 4, semiMinorAxis: 3, orientation: orientation, isStandardDeviation: true)
        let angle = try #require(orientation.fixedDecimal(places: 1))
        #expect(fields(location)[3...] == ["4.00", "3.00", angle, latitude, longitude, "4.25"])
    }

    @Test func unknownErrorsAreNoSentence() throws {
        #expect(fields(try Sample.bare()).isEmpty)
        var location = try Sample.bare()
        location.verticalAccuracy = 3
        #expect(fields(location)[6...] == ["", "", "3.00"])
    }

    @Test(arguments: Sample.absurdNumbers)
    func absurdErrorsAreEmpty(number: Double) throws {
        let location = try Sample.absurd(number)
        let sentences = NMEASentences.record(for: location).split(separator: "\r\n")
        #expect(sentences.allSatisfy { $0.utf8.count <= 80 && !$0.contains("e") && !$0.contains("n") })
        #expect(fields(location).dropFirst(3).allSatisfy { $0.isEmpty || Double($0).map { $0 >= 0 } == true })
    }
}
