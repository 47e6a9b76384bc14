import LocationServer
import Testing

@Suite struct DeclinationTests {
    private let model = MagneticModel.wmm2025
    /// 2026-07-02T12:00:00Z, the middle of the year.
    private let summer = 1_782_993_600.0

    private func declination(_ latitude: Double, _ longitude: Double, at seconds: Double? = nil) -> Result<
        Declination, DeclinationAbsence
    > {
        Result { () throws(DeclinationAbsence) in
            try model.declination(latitude: latitude, longitude: longitude, height: 0, at: seconds ?? summer)
        }
    }

    private static let moments: [(seconds: Double, year: Double)] = [
        (1_735_689_600, 2025), (1_767_225_600, 2026), (1_782_993_600, 2026.5), (1_830_297_600, 2028),
        (1_846_108_800, 2028.5), (1_893_456_000, 2030), (0, 1970), (951_782_400, 2000 + 59.0 / 366),
    ]

    @Test(arguments: moments)
    func momentsAreDecimalYears(_ seconds: Double, _ year: Double) {
        #expect(abs(DecimalYear.year(at: seconds) - year) < 1e-9)
    }

    @Test func theErrorIsAFewTenthsOfADegreeInMostPlacesAndGrowsTowardsThePole() throws {
        let berlin = try declination(52.5, 13.4).get()
        #expect((0.26..<0.5).contains(berlin.accuracy))
        #expect((4..<6).contains(berlin.degrees))
        let north = try declination(80, -96).get()
        #expect((1.5..<2.72).contains(north.accuracy))
    }

    @Test func theBlackoutZoneHasNone() {
        #expect(declination(86.5, 140) == .failure(.blackout))
    }

    @Test func onlyTheModelsFiveYearsHaveOne() throws {
        #expect(declination(52.5, 13.4, at: 1_735_689_599) == .failure(.tooEarly))
        #expect(throws: Never.self) { try declination(52.5, 13.4, at: 1_735_689_600).get() }
        #expect(throws: Never.self) { try declination(52.5, 13.4, at: 1_893_455_999).get() }
        #expect(declination(52.5, 13.4, at: 1_893_456_000) == .failure(.expired))
    }

    @Test(arguments: [-90.0, 90], [-180.0, -90, 0, 90, 180])
    func thePolesHaveAField(_ latitude: Double, _ longitude: Double) {
        let field = model.field(latitude: latitude, longitude: longitude, year: 2026)
        let near = model.field(latitude: latitude * 0.999999, longitude: longitude, year: 2026)
        #expect(field.intensity.isFinite && field.intensity > 50_000)
        #expect(abs(field.declination - near.declination) < 0.01)
    }
}
