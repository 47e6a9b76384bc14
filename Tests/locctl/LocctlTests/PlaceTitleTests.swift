@_spi(Programs) import LocationKit
import Testing

@testable import locctl

@Suite struct PlaceTitleTests {
    @Test func placeIsNotNearItself() throws {
        var place = Placemark(coordinate: try #require(Coordinate(latitude: 67.8558, longitude: 20.2253)))
        (place.name, place.nearestPlace, place.country) = ("Kiruna", "Kiruna", "Sweden")
        #expect(PlaceText.title(place) == "Kiruna, Sweden")
        place.name = "Luossavaara"
        #expect(PlaceText.title(place) == "Luossavaara, Sweden, near Kiruna")
    }
}
