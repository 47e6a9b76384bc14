@_spi(Programs) import LocationModel
import Testing

@testable import LocationFormats

/// Dilution of precision for readers who know of accuracy by nothing else.
struct StatedHDOPTests {
    private func stated(hdop: Double? = nil, accuracy: Double? = nil) throws -> Double? {
        var location = try Sample.bare()
        location.hdop = hdop
        location.horizontalAccuracy = accuracy
        return location.statingHDOP.hdop
    }

    @Test(arguments: [0.5, 0.9, 3.25, 99.99])
    func receiversOwnGoesBeforeAll(hdop: Double) throws {
        #expect(try stated(hdop: hdop, accuracy: 4000) == hdop)
    }

    @Test(arguments: [(0.0, 1.0), (0.02, 1), (1, 1), (2.501, 2.51), (17.5, 17.5), (99.99, 99.99), (3500, 99.99)])
    func accuracyStandsInRoundedUp(accuracy: Double, hdop: Double) throws {
        let stated = try #require(try stated(accuracy: accuracy))
        #expect(abs(stated - hdop) < 1e-9)
    }

    @Test func unknownIsTheWorst() throws {
        #expect(try stated() == 99.99)
        #expect(try stated(hdop: 0) == 99.99, "readers would take it for the best")
        #expect(try stated(hdop: 0, accuracy: 5) == 5)
        #expect(try stated(hdop: 1e9) == 99.99)
    }

    @Test func nothingElseChanges() throws {
        let location = try Sample.full(10, 20)
        #expect(location.statingHDOP == location)
    }
}
