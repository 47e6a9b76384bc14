@_spi(Programs) import LocationKit
@_spi(Programs) import LocationKitTesting
@_spi(Programs) import LocationModel
@_spi(Programs) import OpenCoreLocation
import Testing

@Suite struct PlacemarkTests {
    /// The properties of a `CLPlacemark`.
    private func placemark(_ change: (inout Placemark) -> Void = { _ in }) async throws -> CLPlacemark {
        var place = Placemark(coordinate: try #require(Coordinate(latitude: 47.36667, longitude: 8.55)))
        change(&place)
        let fake = FakeReverseGeocoder(.success([place]))
        let geocoder = GeocodingBackend.$current.withValue(backend(fake)) { CLGeocoder() }
        return try #require(try await geocoder.geocodeAddressString("anything").first)
    }

    private func everything(_ place: inout Placemark) {
        place.name = "Fraumünster"
        place.thoroughfare = "Münsterhof"
        place.subThoroughfare = "2"
        place.subLocality = "Altstadt"
        place.locality = "Zürich"
        place.subAdministrativeArea = "Bezirk Zürich"
        place.administrativeArea = "Zürich"
        place.postalCode = "8001"
        place.country = "Switzerland"
        place.countryCode = "CH"
        place.timeZone = "Europe/Zurich"
        place.ocean = "none"
        place.inlandWater = "Limmat"
        place.areasOfInterest = ["Fraumünster"]
        place.attribution = "GeoNames"
    }

    private func check(_ place: CLPlacemark) {
        #expect(place.name == "Fraumünster")
        #expect(place.thoroughfare == "Münsterhof")
        #expect(place.subThoroughfare == "2")
        #expect(place.subLocality == "Altstadt")
        #expect(place.locality == "Zürich")
        #expect(place.subAdministrativeArea == "Bezirk Zürich")
        #expect(place.administrativeArea == "Zürich")
        #expect(place.postalCode == "8001")
        #expect(place.country == "Switzerland")
        #expect(place.isoCountryCode == "CH")
        #expect(place.timeZone?.identifier == "Europe/Zurich")
        #expect(place.ocean == "none")
        #expect(place.inlandWater == "Limmat")
        #expect(place.areasOfInterest == ["Fraumünster"])
        #expect(place.attribution == "GeoNames")
        #expect(place.location?.coordinate.latitude == 47.36667 && place.location?.coordinate.longitude == 8.55)
        #expect(place.location?.horizontalAccuracy == 100 && place.location?.verticalAccuracy == -1)
    }

    @Test func everyPartIsDelivered() async throws {
        check(try await placemark(everything))
    }

    @Test func whatIsNotKnownIsNil() async throws {
        let place = try await placemark()
        let texts = [
            place.name, place.thoroughfare, place.subThoroughfare, place.subLocality, place.locality,
            place.subAdministrativeArea, place.administrativeArea, place.postalCode, place.country,
            place.isoCountryCode, place.ocean, place.inlandWater, place.attribution,
        ]
        #expect(texts == Array(repeating: nil, count: texts.count))
        #expect(place.timeZone == nil && place.areasOfInterest == nil && place.region == nil)
        #expect(try await placemark { $0.timeZone = "Nowhere/Land" }.timeZone == nil)
    }

    @Test func copiesAndArchivesSayTheSame() async throws {
        let place = try await placemark(everything)
        check(CLPlacemark(placemark: place))
        let copy = try #require(try archiveCopy(place))
        check(copy)
        #expect(copy.location?.timestamp == place.location?.timestamp)
        #expect(copy != place && place.copy() as? CLPlacemark === place)
    }

    @Test func describesItselfFromTheNearestToTheWidest() async throws {
        #expect(
            try await placemark(everything).description
                == "Fraumünster, 2 Münsterhof, Zürich, 8001, Switzerland @ <+47.36667000,+8.55000000> +/- 100.00m")
        #expect(try await placemark { $0.ocean = "Arctic Ocean" }.description.hasPrefix("Arctic Ocean @ <"))
    }
}
