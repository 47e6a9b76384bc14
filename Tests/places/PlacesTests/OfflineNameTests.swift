import GRDB
@_spi(Programs) import LocationModel
import Places
import Testing

/// Where the real database says a name is.
@Suite struct OfflineNameTests {
    let places: OfflinePlaces

    init() throws {
        places = try OfflinePlaces(path: geodata())
    }

    private func find(_ text: String, locale: String? = nil, limit: Int = 10) async throws -> [Placemark] {
        try await places.placemarks(named: text, locale: locale, limit: limit)
    }

    @Test(arguments: [
        ("Wien", "AT"), ("VIENNA", "AT"), ("sao paulo", "BR"), ("  Zürich ", "CH"), ("zurich", "CH"), ("東京", "JP"),
        ("москва", "RU"), ("xian", "CN"), ("Xi’an", "CN"), ("Saint-Denis, Réunion", "RE"), ("łódź", "PL"),
        ("LODZ", "PL"), ("reykjavi", "IS"), ("S-Hertogenbosch", "NL"), ("Αθήνα", "GR"),
    ])
    func nameIsFoundWithoutItsCaseAndMarks(text: String, country: String) async throws {
        let first = try #require(try await find(text).first)
        #expect(first.countryCode == country)
        #expect(first.distance == nil && first.nearestPlace == nil && first.attribution != nil)
        #expect(first.locality == first.name && first.timeZone != nil)
    }

    @Test(arguments: [
        ("Springfield, Illinois, US", "Illinois"), ("springfield,il,usa", "Illinois"),
        ("Springfield, Missouri", "Missouri"), ("Springfield, United States, Oregon", "Oregon"),
        ("Springfield, Ohio, Vereinigte Staaten", "Ohio"), ("Springfield, Clark County, Ohio", "Ohio"),
    ])
    func wordsAfterCommasSayWhichOne(text: String, area: String) async throws {
        let found = try await find(text)
        #expect(found.allSatisfy { $0.administrativeArea == area && $0.countryCode == "US" })
    }

    @Test func georgiaIsACountryAndAState() async throws {
        #expect(try await find("Batumi, Georgia").first?.countryCode == "GE")
        #expect(try await find("Savannah, Georgia").first?.administrativeArea == "Georgia")
    }

    @Test func bestIsTheLargestOfThoseCalledSoThenThoseThatBeginSo() async throws {
        let found = try await find("Paris", limit: 100)
        #expect(found.count > 40)
        #expect(found.first?.countryCode == "FR")
        let texas = try #require(found.firstIndex { $0.administrativeArea == "Texas" && $0.name == "Paris" })
        let longer = found.firstIndex { $0.name?.hasPrefix("Paris ") == true }
        #expect(texas < longer ?? 0)
        #expect(Set(found).count == found.count)
        #expect(try await find("Paris", limit: 3) == Array(found.prefix(3)))
    }

    @Test func countryIsInTheLanguageAskedFor() async throws {
        #expect(try await find("Roma, Italien", locale: "de-CH").first?.country == "Italien")
    }

    @Test(arguments: [
        "", ",", " , Austria", "...", "no place is called so", "Wien, Japan", "%", "no such place'--", "\u{10FFFF}",
    ])
    func whatIsNotThereHasNoResult(text: String) async throws {
        await #expect(throws: PlacesError.noResult) { try await find(text) }
    }

    @Test func shortBeginningOfManyNamesIsAnswered() async throws {
        let found = try await find("s", limit: 100)
        #expect(found.count == 100)
        #expect(try await find("s, CH", limit: 100).allSatisfy { $0.countryCode == "CH" })
    }

    /// What the database was made with and what it is asked by fold names in two languages.
    @Test func placesAreListedAsTheirNamesAreFoldedHere() async throws {
        let missing = try await DatabaseQueue(path: geodata()).read { database in
            try Row.fetchAll(database, sql: "SELECT id, name FROM places WHERE id % 20 = 3").compactMap { row in
                let (id, name): (Int, String) = (row[0], row[1])
                let listed = "SELECT 1 FROM names WHERE name = ? AND place = ?"
                let found = try Int.fetchOne(database, sql: listed, arguments: [FoldedName.of(name), id])
                return found == nil ? name : nil
            }
        }
        #expect(missing == [])
    }
}
