import GRDB
@_spi(Programs) import LocationModel
import Places
import ProgramTestSupport
import Testing

/// What the real database says of positions.
@Suite struct OfflineReverseTests {
    let places: OfflinePlaces

    init() throws {
        places = try OfflinePlaces(path: geodata())
    }

    @Test func townAnswersWithAllThatIsKnownOfIt() async throws {
        let here = try await places.here(47.0707, 15.4395, locale: "de-AT")
        #expect(here.locality == "Graz" && here.name == "Graz" && here.nearestPlace == nil)
        #expect(here.administrativeArea == "Styria")
        #expect(here.country == "Österreich" && here.countryCode == "AT")
        #expect(here.timeZone == "Europe/Vienna")
        #expect(here.attribution?.contains("GeoNames") == true && here.attribution?.contains("OpenStreetMap") == true)
        let distance = try #require(here.distance)
        #expect(try distance == position(47.0707, 15.4395).distance(to: here.coordinate))
        #expect(distance < 1000)
    }

    @Test(
        arguments: [
            (48.5790, 7.8150, "DE", "Europe/Berlin", "Kehl"),  // Strasbourg is across the river
            (48.5830, 7.7480, "FR", "Europe/Paris", "Strasbourg"),
            (42.2139, 20.7397, "XK", "Europe/Belgrade", "Prizren"),
            (22.1980, 113.5440, "MO", "Asia/Macau", "Macau"),
            (21.0245, 105.8412, "VN", "Asia/Bangkok", "Hanoi"),  // of two countries
            (43.8256, 87.6168, "CN", "Asia/Urumqi", "Ürümqi"),
            (-16.8500, -179.9700, "FJ", "Pacific/Fiji", nil),
        ] as [(Double, Double, String, String, String?)])
    func bordersSayWhichCountryAndTimeZoneItIs(
        latitude: Double, longitude: Double, country: String, zone: String, town: String?
    ) async throws {
        let here = try await places.here(latitude, longitude)
        #expect(here.countryCode == country)
        #expect(here.timeZone == zone)
        if let town { #expect(here.locality == town) }
    }

    @Test(arguments: [(23.5, 10.5, "DZ", "Africa/Algiers"), (-75.1, 123.3, "AQ", "Australia/Perth")])
    func farFromEveryPlaceOnlyTheNearestIsNamed(
        latitude: Double, longitude: Double, country: String, zone: String
    ) async throws {
        let here = try await places.here(latitude, longitude)
        #expect(here.locality == nil && here.name == nil && here.administrativeArea == nil)
        #expect(here.nearestPlace != nil)
        #expect(here.countryCode == country && here.timeZone == zone)
        #expect(try #require(here.distance) > OfflinePlaces.townRadius)
    }

    @Test(arguments: [(30.0, -40.0, "Etc/GMT+3"), (0.0, 172.6, "Etc/GMT-12"), (-40.0, -100.0, "Etc/GMT+7")])
    func highSeasAreOfNoCountryAndKeepShipsTime(latitude: Double, longitude: Double, zone: String) async throws {
        let here = try await places.here(latitude, longitude)
        #expect(here.countryCode == nil && here.country == nil && here.locality == nil)
        #expect(here.timeZone == zone)
        #expect(here.nearestPlace != nil)
        #expect(try here.distance == position(latitude, longitude).distance(to: here.coordinate))
    }

    @Test func polesAreAnsweredForWhateverTheirLongitude() async throws {
        let names = [-180.0, -90, 0, 12.5, 180]
        for pole in [90.0, -90] {
            var nearest: Set<String?> = []
            for longitude in names {
                let here = try await places.here(pole, longitude)
                nearest.insert(here.nearestPlace)
                #expect(here.countryCode == (pole > 0 ? nil : "AQ"))
            }
            #expect(nearest.count == 1 && !nearest.contains(nil))
        }
    }

    @Test(arguments: [
        ("de", "Österreich"), ("de-AT", "Österreich"), ("de_AT.UTF-8", "Österreich"),
        ("DE-at-u-ca-gregory", "Österreich"),
        ("zh-TW", "奧地利"), ("zh-CN", "奥地利"), ("sr-ME", "Austrija"), ("nb", "Østerrike"), ("iw", "אוסטריה"),
        ("en-GB", "Austria"), ("tlh", "Austria"), ("C", "Austria"), ("", "Austria"), ("-", "Austria"),
    ])
    func countryIsNamedInTheNearestLanguageThatIsKnown(locale: String, name: String) async throws {
        #expect(try await places.here(48.2085, 16.3721, locale: locale).country == name)
    }

    @Test func hiddenPlacesCountryAndTimeZoneAreTold() async throws {
        let path = try geodata()
        let held = try DatabaseQueue(path: path).read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT places.id, south, west, places.country, zones.name FROM places
                    JOIN zones ON zones.id = zone WHERE places.id % 170 = 7
                    """)
        }
        var (countries, zones) = (0, 0)
        for row in held {
            let (south, west): (Double, Double) = (row[1], row[2])
            let there = try await places.placemarks(
                at: position(south / 1e5, west / 1e5), locale: nil, without: row[0])
            countries += there.first?.countryCode == row[3] as String ? 1 : 0
            zones += there.first?.timeZone == row[4] as String ? 1 : 0
        }
        #expect(held.count > 900)
        #expect(Double(countries) >= 0.989 * Double(held.count))
        #expect(Double(zones) >= 0.984 * Double(held.count))
    }

    @Test func manyAtOnceGetTheSameAnswersAsOneAfterTheOther() async throws {
        var random = SeededGenerator(seed: 5)
        let positions = try (0..<60).map { _ in
            try position(.random(in: -60...70, using: &random), .random(in: -180...180, using: &random))
        }
        var alone: [[Placemark]] = []
        for position in positions { alone.append(try await places.placemarks(at: position, locale: "fr")) }
        let together = try await withThrowingTaskGroup(of: (Int, [Placemark]).self) { group in
            for (index, position) in positions.enumerated() {
                group.addTask { [places] in (index, try await places.placemarks(at: position, locale: "fr")) }
            }
            return try await group.reduce(into: [Int: [Placemark]]()) { $0[$1.0] = $1.1 }
        }
        #expect(alone.enumerated().allSatisfy { together[$0] == $1 })
    }

    @Test func cancelledTaskIsToldSo() async throws {
        let task = Task { [places] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await places.here(48.2, 16.4)
        }
        await #expect(throws: PlacesError.cancelled) { try await task.value }
    }
}
