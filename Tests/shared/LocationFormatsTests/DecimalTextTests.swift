import Testing

@testable import LocationFormats

struct DecimalTextTests {
    @Test(arguments: [
        (0, "0"), (-0.0, "0"), (180, "180"), (-90, "-90"), (0.1, "0.1"), (1e-7, "0.0000001"), (-1.5e-7, "-0.00000015"),
        (12.345, "12.345"), (1e16, "10000000000000000"), (1.5e16, "15000000000000000"), (-1e17, "-100000000000000000"),
        (123_456_789.125, "123456789.125"), (179.99999999999997, "179.99999999999997"),
    ])
    func plainDecimalHasNoExponent(number: Double, text: String) {
        #expect(number.plainDecimal == text)
    }

    @Test(arguments: [
        Double.greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude, .pi, -1 / 3, 9.87654321e-200,
        1.7976931348623157e100, 5e15, 0.30000000000000004,
    ])
    func plainDecimalReadsBackAsTheSameNumber(number: Double) throws {
        let text = try #require(number.plainDecimal)
        #expect(Double(text) == number)
        #expect(!text.contains("e"))
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func whatIsNotFiniteHasNoText(number: Double) {
        #expect(number.plainDecimal == nil)
        #expect(number.fixedDecimal(places: 2) == nil)
        #expect(number.fullCircleDegrees == nil)
        #expect(number.halfCircleDegrees == nil)
    }

    @Test(arguments: [
        (0, 2, "0.00"), (-0.0, 2, "0.00"), (-0.004, 2, "0.00"), (-0.005001, 2, "-0.01"), (9.995001, 2, "10.00"),
        (1.5, 0, "2"), (-12.25, 1, "-12.3"), (0.05, 3, "0.050"), (123.456, 1, "123.5"),
    ])
    func fixedDecimalHasItsPlaces(number: Double, places: Int, text: String) {
        #expect(number.fixedDecimal(places: places) == text)
    }

    @Test func fixedDecimalOfTooManyDigitsIsNil() {
        #expect(1e300.fixedDecimal(places: 0) == nil)
        #expect(1e18.fixedDecimal(places: 2) == nil)
    }

    @Test(arguments: [(-4.5, 355.5), (360, 0), (-1e-20, 0), (725, 5), (0, 0), (-360, 0)])
    func fullCircleEndsBefore360(degrees: Double, turned: Double) {
        #expect(degrees.fullCircleDegrees == turned)
    }

    @Test(arguments: [(355.5, -4.5), (4.5, 4.5), (-180, -180), (190, -170)])
    func halfCircleKeepsTheShortWay(degrees: Double, turned: Double) {
        #expect(degrees.halfCircleDegrees == turned)
    }
}
