import Foundation
import GRDB
@_spi(Programs) import LocationModel
import Places
import ProgramTestSupport
import Testing

/// Databases that are small, empty, foreign or broken.
@Suite struct OfflineDatabaseTests {
    @Test func nearestIsTheOneByGeodesicAcrossPolesAndTheAntimeridian() async throws {
        var random = SeededGenerator(seed: 11)
        var all: [Coordinate] = []
        for index in 0..<200 {
            let latitude = [0.0...90, -90...0, 84...90, -90 ... -84, -10...10][index % 5]
            let longitude = [-180.0...180, -180...180, -180...180, -180 ... -177, 177...180][index / 5 % 5]
            all.append(
                try position(
                    (.random(in: latitude, using: &random) * 1e5).rounded() / 1e5,
                    (.random(in: longitude, using: &random) * 1e5).rounded() / 1e5))
        }
        let handmade = try HandmadeGeodata { database in
            try database.execute(sql: "INSERT INTO zones VALUES (1, 'Etc/UTC', '')")
            for (index, place) in all.enumerated() {
                try database.add(index, "\(index)", place.latitude, place.longitude)
            }
        }
        let places = try handmade.open()
        for index in 0..<150 {
            let latitude = index % 3 == 0 ? 85.0...90 : -90...90
            let longitude = [-180.0 ... -178, 178...180, -180...180][index % 3]
            let here = try position(.random(in: latitude, using: &random), .random(in: longitude, using: &random))
            let found = try await places.here(here.latitude, here.longitude)
            #expect(found.distance == all.map { here.distance(to: $0) }.min(), "\(here)")
        }
        #expect(try await places.here(90, 0).distance == all.map { $0.distance(to: try position(90, 0)) }.min())
    }

    @Test func largestOfSeveralAtOnePointIsNamed() async throws {
        let handmade = try HandmadeGeodata { database in
            try database.add(zone: 1, "Test/Zone", countries: "AA", from: 0, to: 20)
            try database.add(9, "Small", 10, 10)
            try database.add(2, "Large", 10, 10)
            try database.add(5, "Middle", 10, 10)
        }
        let places = try handmade.open()
        #expect(try await places.here(10, 10).locality == "Large")
        #expect(try await places.here(10.01, 10).locality == "Large")
    }

    @Test func townIsOfTheCountryThatOneIsIn() async throws {
        let handmade = try HandmadeGeodata { database in
            try database.add(zone: 1, "Test/West", countries: "AA", from: 0, to: 10)
            try database.add(zone: 2, "Test/East", countries: "BB CC", from: 10, to: 20)
            try database.add(1, "Here", 0, 9.9, country: "AA")
            try database.add(2, "Across", 0, 10.01, country: "BB")
            try database.add(3, "Beyond", 0, 10.15, country: "CC")
        }
        let places = try handmade.open()
        let west = try await places.here(0, 9.999)
        #expect(west.locality == "Here" && west.countryCode == "AA" && west.timeZone == "Test/West")
        let east = try await places.here(0, 10.001)
        #expect(east.locality == "Across" && east.countryCode == "BB" && east.timeZone == "Test/East")
        #expect(try await places.here(0, 10.2).countryCode == "CC")
        // None of its towns is within 25 km: the nearest of all is named, and the country known all the same.
        let lonely = try await places.here(0.5, 9.99)
        #expect(lonely.locality == nil && lonely.nearestPlace == "Across" && lonely.countryCode == "AA")
        let sea = try await places.here(0, -0.001)
        #expect(sea.countryCode == nil && sea.timeZone == "Etc/GMT" && sea.nearestPlace == "Here")
    }

    @Test func meridianOf180DegreesIsOneLineByEitherName() async throws {
        let handmade = try HandmadeGeodata { database in
            try database.add(zone: 1, "Test/Zone", countries: "AA", from: -180, to: -179)
            try database.add(1, "Town", 0, -179.9)
        }
        let places = try handmade.open()
        #expect(try await places.here(0, 180).timeZone == "Test/Zone")
        #expect(try await places.here(0, 180) == places.here(0, -180))
        #expect(try await places.here(0, 179.99).distance == position(0, 179.99).distance(to: position(0, -179.9)))
    }

    @Test func databaseWithoutPlacesHasNoResult() async throws {
        let places = try HandmadeGeodata().open()
        await #expect(throws: PlacesError.noResult) { try await places.here(1, 2) }
        await #expect(throws: PlacesError.noResult) { try await places.placemarks(named: "x", locale: nil, limit: 1) }
    }

    /// The error of opening, which has to say of which file and what to do.
    private func refusal(_ path: String) throws -> String {
        do {
            _ = try OfflinePlaces(path: path)
        } catch .network(let reason) {
            #expect(reason.hasPrefix(path) && reason.hasSuffix("; install locationd-geodata or run make geodata"))
            return reason
        } catch {
            throw Failure("another error: \(error)")
        }
        throw Failure("\(path) was opened")
    }

    @Test func fileThatIsNoPlacesDatabaseIsRefused() async throws {
        let folder = try TemporaryFolder()
        #expect(try refusal(folder("missing.sqlite")).contains("does not exist"))
        #expect(try refusal(folder.path).contains("cannot be read"))
        for (name, content) in [("empty", ""), ("text", String(repeating: "all kinds of words\n", count: 500))] {
            try content.write(toFile: folder(name), atomically: true, encoding: .utf8)
            #expect(try refusal(folder(name)).contains("is not a places database"))
        }
        let foreign = try DatabaseQueue(path: folder("foreign"))
        try await foreign.write { try $0.execute(sql: "CREATE TABLE places (name TEXT)") }
        #expect(try refusal(folder("foreign")).contains("is not a places database"))
        let later = try HandmadeGeodata { try $0.execute(sql: "PRAGMA user_version = 2") }
        #expect(try refusal(later.path).contains("is of version 2, and this program reads version 1"))
        let bare = try HandmadeGeodata { try $0.execute(sql: "DELETE FROM meta") }
        #expect(try refusal(bare.path).contains("has no attribution"))
    }

    @Test func truncatedDatabaseIsRefused() throws {
        let content = try #require(FileManager.default.contents(atPath: geodata()))
        let folder = try TemporaryFolder()
        for size in [100, 4096, 100_000, content.count / 2, content.count - 4096] {
            try content.prefix(size).write(to: URL(fileURLWithPath: folder("places.sqlite")))
            _ = try refusal(folder("places.sqlite"))
        }
    }

    @Test func damagedDatabaseIsAnErrorOrAnAnswerAndNeverATrap() async throws {
        let whole = try HandmadeGeodata { database in
            try database.add(zone: 1, "Test/Zone", countries: "AA BB", from: -20, to: 20)
            for index in 1..<200 { try database.add(index, "Town \(index)", Double(index) / 10, Double(index) / 20) }
        }
        let content = try #require(FileManager.default.contents(atPath: whole.path))
        let folder = try TemporaryFolder()
        var random = SeededGenerator(seed: 3)
        var refused = 0
        for _ in 0..<60 {
            var broken = content
            for _ in 0..<40 {
                let place = Int.random(in: 100..<min(broken.count, 400_000), using: &random)
                broken[place] = UInt8.random(in: 0...255, using: &random)
            }
            try broken.write(to: URL(fileURLWithPath: folder("places.sqlite")))
            do {
                let places = try OfflinePlaces(path: folder("places.sqlite"))
                for _ in 0..<5 { _ = try await places.here(.random(in: 0...20, using: &random), 5) }
                _ = try await places.placemarks(named: "town", locale: "de", limit: 50)
            } catch PlacesError.network(let reason) {
                #expect(reason.hasPrefix(folder("places.sqlite")))
                refused += 1
            } catch PlacesError.noResult {
            }
        }
        #expect(refused > 0)
    }

    @Test(arguments: [
        "UPDATE places SET name = NULL", "UPDATE places SET name = x'00'", "UPDATE zones SET name = x'00'",
        "UPDATE places SET south = 9100000, north = 9100000 WHERE id = 1", "UPDATE borders SET runs = 'text'",
        "DROP TABLE zones", "DROP TABLE borders", "DROP TABLE places", "DROP TABLE names", "DROP TABLE country_names",
    ])
    func unexpectedContentIsAnErrorThatNamesTheFile(change: String) async throws {
        let handmade = try HandmadeGeodata { database in
            try database.add(zone: 1, "Test/Zone", countries: "AA", from: -20, to: 20)
            try database.add(1, "Town", 1, 1)
            try database.execute(sql: change)
        }
        do {
            let places = try handmade.open()
            _ = try await places.placemarks(named: "town", locale: nil, limit: 1)
            _ = try await places.here(1, 1)
            _ = try await places.here(89, 1)
            Issue.record("no error after \(change)")
        } catch PlacesError.network(let reason) {
            #expect(reason.hasPrefix(handmade.path))
        }
    }

    @Test func uselessBordersAreTheHighSeas() async throws {
        for runs in ["", "00", "00000000FF", "FFFFFFFFFFFFFF"] {
            let handmade = try HandmadeGeodata { database in
                try database.execute(sql: "INSERT INTO zones VALUES (1, 'Test/Zone', 'AA')")
                try database.add(1, "Town", 1, 1)
                try database.execute(
                    sql: """
                        WITH RECURSIVE near(line) AS (SELECT 23040 UNION ALL SELECT line + 1 FROM near WHERE line < 23808)
                        INSERT INTO borders SELECT line, x'\(runs)' FROM near
                        """)
            }
            let here = try await handmade.open().here(1, 1)
            #expect(here.timeZone == "Etc/GMT" && here.countryCode == nil && here.nearestPlace == "Town")
        }
    }
}
