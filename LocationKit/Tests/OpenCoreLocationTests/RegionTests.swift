@_spi(Programs) import LocationModel
@_spi(Programs) import OpenCoreLocation
import Testing

@Suite struct RegionTests {
    private let center = CLLocationCoordinate2D(latitude: 52.52, longitude: 13.405)

    private func circle(_ identifier: String = "home", radius: Double = 100) -> CLCircularRegion {
        CLCircularRegion(center: center, radius: radius, identifier: identifier)
    }

    @Test func containsWhatIsNoFurtherThanTheRadius() throws {
        let middle = try #require(Coordinate(latitude: center.latitude, longitude: center.longitude))
        for bearing in stride(from: 0.0, to: 360, by: 45) {
            let inside = middle.coordinate(atDistance: 99.99, bearing: bearing)
            let outside = middle.coordinate(atDistance: 100.01, bearing: bearing)
            #expect(circle().contains(CLLocationCoordinate2DMake(inside.latitude, inside.longitude)))
            #expect(!circle().contains(CLLocationCoordinate2DMake(outside.latitude, outside.longitude)))
        }
        #expect(circle().contains(center))
    }

    @Test func invalidCoordinatesAreOutside() {
        #expect(!circle().contains(kCLLocationCoordinate2DInvalid))
        #expect(!circle(radius: .nan).contains(center))
        let nowhere = CLCircularRegion(center: kCLLocationCoordinate2DInvalid, radius: 1e9, identifier: "nowhere")
        #expect(!nowhere.contains(center))
    }

    @Test func equalByIdentifier() {
        #expect(circle() == circle(radius: 5))
        #expect(circle() != circle("work"))
        #expect(Set<CLRegion>([circle(), circle(radius: 5), circle("work")]).count == 2)
    }

    @Test func copiesSayTheSameAndStandAlone() throws {
        let region = circle()
        region.notifyOnExit = false
        let copy = try #require(region.copy() as? CLCircularRegion)
        region.notifyOnEntry = false
        #expect(copy.identifier == "home")
        #expect(copy.radius == 100)
        #expect(copy.center.latitude == 52.52)
        #expect(copy.notifyOnEntry)
        #expect(!copy.notifyOnExit)
    }

    @Test func archivesKeepEverything() throws {
        let region = circle()
        region.notifyOnEntry = false
        let copy = try #require(try archiveCopy(region))
        #expect(copy.identifier == "home")
        #expect(copy.radius == 100)
        #expect(copy.center.longitude == 13.405)
        #expect(!copy.notifyOnEntry)
        #expect(copy.notifyOnExit)
    }

    @Test func describesItselfAsApplesDoes() {
        #expect(
            circle().description
                == "CLCircularRegion (identifier:'home', center:<+52.52000000,+13.40500000>, radius:100.00m)")
    }
}
