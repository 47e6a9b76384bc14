@_spi(Programs) import OpenCoreLocation
import Testing

@Suite struct CoordinateTests {
    @Test(arguments: [(90.0, 180.0), (-90, -180), (0, 0), (52.52, 13.405)])
    func placesAreValid(_ latitude: Double, _ longitude: Double) {
        #expect(CLLocationCoordinate2DIsValid(CLLocationCoordinate2DMake(latitude, longitude)))
    }

    @Test(
        arguments: [(90.5, 0.0), (0, 180.5), (.nan, 0), (0, .infinity), (-180, -180)] as [(Double, Double)])
    func otherNumbersAreNot(_ latitude: Double, _ longitude: Double) {
        #expect(!CLLocationCoordinate2DIsValid(CLLocationCoordinate2D(latitude: latitude, longitude: longitude)))
    }

    @Test func invalidOneIsInvalid() {
        #expect(!CLLocationCoordinate2DIsValid(kCLLocationCoordinate2DInvalid))
        #expect(kCLLocationCoordinate2DInvalid.latitude == -180)
        #expect(kCLLocationCoordinate2DInvalid.longitude == -180)
    }

    @Test func originIsTheDefault() {
        var coordinate = CLLocationCoordinate2D()
        #expect([coordinate.latitude, coordinate.longitude] == [0, 0])
        coordinate.latitude = 1
        #expect(coordinate.latitude == 1)
    }

    @Test func constantsAreApples() {
        #expect(kCLLocationAccuracyBestForNavigation == -2)
        #expect(kCLLocationAccuracyBest == -1)
        #expect(kCLLocationAccuracyNearestTenMeters == 10)
        #expect(kCLLocationAccuracyHundredMeters == 100)
        #expect(kCLLocationAccuracyKilometer == 1000)
        #expect(kCLLocationAccuracyThreeKilometers == 3000)
        #expect(kCLLocationAccuracyReduced > kCLLocationAccuracyThreeKilometers)
        #expect(kCLDistanceFilterNone == -1)
        #expect(kCLHeadingFilterNone == -1)
        #expect(CLLocationDistanceMax == .greatestFiniteMagnitude)
        #expect(CLTimeIntervalMax == .greatestFiniteMagnitude)
    }
}
