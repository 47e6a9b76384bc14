@_spi(Programs) import OpenCoreLocation
import Testing

@Suite struct LocationTests {
    private let berlin = CLLocationCoordinate2D(latitude: 52.52, longitude: 13.405)
    private let moment = Date(timeIntervalSince1970: 1_772_366_400.25)

    private var full: CLLocation {
        CLLocation(
            coordinate: berlin, altitude: 34, horizontalAccuracy: 5, verticalAccuracy: 8, course: 90, courseAccuracy: 2,
            speed: 1.2, speedAccuracy: 0.3, timestamp: moment,
            sourceInfo: CLLocationSourceInformation(softwareSimulationState: true, andExternalAccessoryState: true))
    }

    @Test func placeAloneHasApplesDefaults() {
        let before = Date()
        let location = CLLocation(latitude: 52.52, longitude: 13.405)
        #expect(location.coordinate.latitude == 52.52)
        #expect(location.coordinate.longitude == 13.405)
        #expect(location.altitude == 0)
        #expect(location.ellipsoidalAltitude == 0)
        #expect(location.horizontalAccuracy == 0)
        #expect(location.verticalAccuracy == -1)
        #expect(location.course == -1)
        #expect(location.courseAccuracy == -1)
        #expect(location.speed == -1)
        #expect(location.speedAccuracy == -1)
        #expect(location.floor == nil)
        #expect(location.sourceInformation == nil)
        #expect(before <= location.timestamp && location.timestamp <= Date())
    }

    @Test func everyInitializerKeepsWhatItIsGiven() {
        let plain = CLLocation(
            coordinate: berlin, altitude: 34, horizontalAccuracy: 5, verticalAccuracy: 8, timestamp: moment)
        let moving = CLLocation(
            coordinate: berlin, altitude: 34, horizontalAccuracy: 5, verticalAccuracy: 8, course: 90, speed: 1.2,
            timestamp: moment)
        let exact = CLLocation(
            coordinate: berlin, altitude: 34, horizontalAccuracy: 5, verticalAccuracy: 8, course: 90, courseAccuracy: 2,
            speed: 1.2, speedAccuracy: 0.3, timestamp: moment)
        for location in [plain, moving, exact, full] {
            #expect(location.coordinate.latitude == 52.52)
            #expect(location.altitude == 34)
            #expect(location.horizontalAccuracy == 5)
            #expect(location.verticalAccuracy == 8)
            #expect(location.timestamp == moment)
        }
        #expect([plain, moving, exact, full].map(\.course) == [-1, 90, 90, 90])
        #expect([plain, moving, exact, full].map(\.speed) == [-1, 1.2, 1.2, 1.2])
        #expect([plain, moving, exact, full].map(\.courseAccuracy) == [-1, -1, 2, 2])
        #expect([plain, moving, exact, full].map(\.speedAccuracy) == [-1, -1, 0.3, 0.3])
        #expect(full.sourceInformation?.isSimulatedBySoftware == true)
        #expect(full.sourceInformation?.isProducedByAccessory == true)
    }

    @Test func distanceIsThatOfTheEllipsoid() {
        // Flinders Peak to Buninyon, Geoscience Australia's example for GRS 80, which equals WGS 84 to 0.1 mm.
        let peak = CLLocation(latitude: -37.951_033_416_666_7, longitude: 144.424_867_888_889)
        let mount = CLLocation(latitude: -37.652_821_138_888_9, longitude: 143.926_495_527_778)
        #expect(abs(peak.distance(from: mount) - 54_972.271) < 0.001)
        #expect(peak.distance(from: mount) == mount.distance(from: peak))
    }

    @Test func longitudesGoAroundTheEarth() {
        let here = CLLocation(latitude: 10, longitude: 179)
        #expect(here.distance(from: CLLocation(latitude: 10, longitude: -179 + 360)) < 220_000)
        #expect(here.distance(from: CLLocation(latitude: 10, longitude: 179 - 720)) == 0)
    }

    @Test(arguments: [(-180.0, -180.0), (91, 0), (.nan, 0), (0, .infinity), (0, .nan)] as [(Double, Double)])
    func noDistanceToNoPlace(_ latitude: Double, _ longitude: Double) {
        let nowhere = CLLocation(latitude: latitude, longitude: longitude)
        #expect(CLLocation(latitude: 1, longitude: 1).distance(from: nowhere) == -1)
        #expect(nowhere.distance(from: CLLocation(latitude: 1, longitude: 1)) == -1)
    }

    @Test func onlyTheSameObjectIsEqual() {
        let location = full
        #expect(location == location)
        #expect(location != full)
        #expect(location.copy() as? CLLocation === location)
        #expect(Set([location, location, full]).count == 2)
    }

    @Test func archivesKeepEverything() throws {
        let copy = try #require(try archiveCopy(full))
        #expect(copy.coordinate.latitude == 52.52)
        #expect(copy.coordinate.longitude == 13.405)
        #expect(copy.altitude == 34)
        #expect(copy.horizontalAccuracy == 5)
        #expect(copy.verticalAccuracy == 8)
        #expect(copy.course == 90)
        #expect(copy.courseAccuracy == 2)
        #expect(copy.speed == 1.2)
        #expect(copy.speedAccuracy == 0.3)
        #expect(copy.timestamp == moment)
        #expect(copy.sourceInformation?.isSimulatedBySoftware == true)
        let source = CLLocationSourceInformation(softwareSimulationState: false, andExternalAccessoryState: true)
        #expect(try archiveCopy(source)?.isProducedByAccessory == true)
        #expect(try archiveCopy(source)?.isSimulatedBySoftware == false)
    }

    @Test func archivesKeepOddNumbers() throws {
        let odd = CLLocation(
            coordinate: kCLLocationCoordinate2DInvalid, altitude: .nan, horizontalAccuracy: -1,
            verticalAccuracy: .infinity, timestamp: .distantPast)
        let copy = try #require(try archiveCopy(odd))
        #expect(copy.altitude.isNaN)
        #expect(copy.verticalAccuracy == .infinity)
        #expect(copy.timestamp == .distantPast)
    }

    @Test func archiveOfSomethingElseIsNoLocation() throws {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        archiver.encode(Data("nonsense".utf8) as NSData, forKey: "values")
        archiver.finishEncoding()
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
        unarchiver.decodingFailurePolicy = .setErrorAndReturn
        #expect(CLLocation(coder: unarchiver) == nil)
        #expect(CLHeading(coder: unarchiver) == nil)
        #expect(CLCircularRegion(coder: unarchiver) == nil)
    }

    @Test func describesItselfAsApplesDoes() {
        #expect(
            full.description.hasPrefix("<+52.52000000,+13.40500000> +/- 5.00m (speed 1.20 mps / course 90.00) @ "))
        #expect("\(CLLocation(latitude: -1, longitude: -2))".hasPrefix("<-1.00000000,-2.00000000> +/- 0.00m (speed -1"))
    }

    @Test func mayBeSubclassedAndSent() async {
        final class Elsewhere: CLLocation, @unchecked Sendable {
            override var coordinate: CLLocationCoordinate2D { CLLocationCoordinate2D(latitude: 1, longitude: 2) }
        }
        let location: CLLocation = Elsewhere(latitude: 50, longitude: 50)
        let latitude = await Task.detached { location.coordinate.latitude }.value
        #expect(latitude == 1)
        #expect(location.description.hasPrefix("<+1.00000000,+2.00000000>"))
        #expect(location.distance(from: CLLocation(latitude: 1, longitude: 2)) == 0)
    }

    @Test func visitsAndFloorsExistForSource() throws {
        #expect(CLFloor().level == 0)
        #expect(try archiveCopy(CLFloor())?.level == 0)
        #expect(CLVisit().departureDate == .distantFuture)
        #expect(try archiveCopy(CLVisit()).map { CLLocationCoordinate2DIsValid($0.coordinate) } == false)
    }
}
