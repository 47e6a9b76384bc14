import Glibc
@_spi(Programs) import LocationKit
import ProgramTestSupport
import Synchronization
import Testing

/// The geocoder and `locctl place` before the built service and its database.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct PlacesProgramTests {
    private static let town = Coordinate(latitude: 47.3769, longitude: 8.5417)
    private static let ocean = Coordinate(latitude: 35, longitude: -45)

    @Test func townHasItsCountryAndTimeZone() async throws {
        let program = try PlacesProgram()
        let geocoder = ReverseGeocoder(socketPath: program.socket)
        let town = try #require(Self.town)
        let place = try #require(try await geocoder.reverseGeocode(town, locale: "de").first)
        #expect(place.countryCode == "CH" && place.country == "Schweiz")
        #expect(place.timeZone == "Europe/Zurich")
        #expect(place.locality != nil && place.attribution?.contains("GeoNames") == true)
        #expect(try #require(place.distance) < 25_000)
        let found = try await geocoder.geocode("Zürich, CH", locale: "en", limit: 3)
        #expect(found.first?.locality == "Zürich" && found.first?.country == "Switzerland", "\(found)")
        #expect(found.count <= 3)
        await #expect(throws: GeocodingError.noResult) {
            try await geocoder.geocode("Xyzzyqwertz", locale: nil, limit: 1)
        }
    }

    @Test func farFromEveryTownThereIsTheNearest() async throws {
        let program = try PlacesProgram()
        let geocoder = ReverseGeocoder(socketPath: program.socket)
        let ocean = try #require(Self.ocean)
        let place = try #require(try await geocoder.reverseGeocode(ocean).first)
        #expect(place.locality == nil && place.nearestPlace != nil)
        #expect(try #require(place.distance) > 25_000)
    }

    @Test func commandTellsPlaces() throws {
        let program = try PlacesProgram()
        let here = try program.locctl("place", "47.3667", "8.55", "--locale", "en")
        #expect(here.code == 0 && here.output.hasPrefix("Zürich, Zurich, Switzerland\n"), "\(here)")
        #expect(here.output.contains("Europe/Zurich") && here.output.contains("GeoNames"))
        let sea = try program.locctl("place", "35", "-45")
        #expect(sea.code == 0 && sea.output.contains("near "), "\(sea)")
        let found = try program.locctl("place", "--find", "Springfield, Illinois", "--limit", "1")
        #expect(found.code == 0 && found.output.hasPrefix("Springfield, Illinois, United States  39.8"), "\(found)")
        #expect(try program.locctl("place", "--find", "Xyzzyqwertz").code == 5)
    }

    @Test func serviceEndsWhenNobodyAsksAnyMore() async throws {
        let program = try PlacesProgram(isActivated: true)
        let geocoder = ReverseGeocoder(socketPath: program.socket)
        #expect(try await !geocoder.reverseGeocode(#require(Self.town)).isEmpty)
        #expect(try program.process.wait(within: 60) == 0, "\(program.process.errors)")
        #expect(try await !geocoder.reverseGeocode(#require(Self.town)).isEmpty, "remembered")
        await #expect {
            try await geocoder.reverseGeocode(#require(Self.ocean))
        } throws: { error in
            guard case GeocodingError.serviceNotReachable = error else { return false }
            return true
        }
    }

    @Test func thousandGeocodersAreAllAnswered() async throws {
        let program = try PlacesProgram()
        let failures = Mutex<[GeocodingError]>([])
        let (answers, told) = AsyncStream.makeStream(of: Void.self)
        for number in 0..<1000 {
            let place = try #require(Coordinate(latitude: Double(number) / 20, longitude: 10))
            ReverseGeocoder(socketPath: program.socket).reverseGeocode(place, locale: "en") { result in
                if case .failure(let error) = result { failures.withLock { $0.append(error) } }
                told.yield()
            }
        }
        var count = 0
        for await _ in answers {
            count += 1
            if count == 1000 { break }
        }
        #expect(failures.withLock { $0 }.isEmpty)
    }

    @Test func serviceThatIsKilledMidwayLeavesNobodyWaiting() async throws {
        let program = try PlacesProgram()
        let (answers, told) = AsyncStream.makeStream(of: Bool.self)
        for number in 0..<500 {
            let place = try #require(Coordinate(latitude: Double(number) / 10, longitude: 10))
            ReverseGeocoder(socketPath: program.socket).reverseGeocode(place) { result in
                told.yield((try? result.get()) != nil)
            }
        }
        var outcomes: [Bool] = []
        for await isAnswer in answers {
            if outcomes.isEmpty { program.process.signal(SIGKILL) }
            outcomes.append(isAnswer)
            if outcomes.count == 500 { break }
        }
        #expect(outcomes.first == true && outcomes.contains(false))
    }
}
