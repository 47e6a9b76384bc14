@_spi(Programs) import LocationKit
import Testing

@testable import locctl

@Suite struct PlaceTextTests {
    private func place(_ change: (inout Placemark) -> Void) throws -> Placemark {
        var place = Placemark(coordinate: try #require(Coordinate(latitude: 47.36667, longitude: 8.55)))
        change(&place)
        return place
    }

    @Test func titleGoesFromTheNearestToTheWidest() throws {
        let town = try place {
            ($0.name, $0.locality, $0.nearestPlace) = ("Zürich", "Zürich", "Zürich")
            ($0.administrativeArea, $0.country) = ("Zürich", "Switzerland")
        }
        #expect(PlaceText.title(town) == "Zürich, Zürich, Switzerland")
        let address = try place {
            ($0.name, $0.thoroughfare, $0.subThoroughfare) = ("Fraumünster", "Münsterhof", "2")
            ($0.locality, $0.country) = ("Zürich", "Switzerland")
        }
        #expect(PlaceText.title(address) == "Fraumünster, Münsterhof 2, Zürich, Switzerland")
        let house = try place {
            ($0.name, $0.thoroughfare, $0.locality) = ("Münsterhof 2", "Münsterhof", "Zürich")
        }
        #expect(PlaceText.title(house) == "Münsterhof 2, Zürich")
    }

    @Test func farFromEveryTownTheNearestIsNamed() throws {
        let wild = try place { ($0.nearestPlace, $0.country, $0.distance) = ("Kiruna", "Sweden", 41_000) }
        #expect(PlaceText.here([wild]) == ["Sweden, near Kiruna", "  distance    41 km"])
        let sea = try place { ($0.ocean, $0.nearestPlace) = ("Arctic Ocean", "Vardø") }
        #expect(PlaceText.title(sea) == "Arctic Ocean, near Vardø")
        #expect(PlaceText.title(try place { _ in }) == "47.366670, 8.550000")
    }

    @Test func namesSteerNoTerminal() throws {
        let hostile = try place {
            ($0.name, $0.timeZone, $0.attribution) = ("a\u{1B}[2J\nb\u{9B}c", "x\u{7}", "y\r\u{0}")
        }
        let lines = PlaceText.here([hostile]) + PlaceText.found([hostile])
        #expect(lines.first == "a [2J b c")
        let characters = lines.joined().unicodeScalars
        #expect(characters.allSatisfy { $0.properties.generalCategory != .control })
    }

    @Test func eachSourceIsNamedOnce() throws {
        let places = try ["A", "B", "A"].map { source in try place { ($0.name, $0.attribution) = ("x", source) } }
        #expect(PlaceText.found(places).suffix(2) == ["  source      A", "  source      B"])
        #expect(PlaceText.found(places).count == 5)
    }
}
