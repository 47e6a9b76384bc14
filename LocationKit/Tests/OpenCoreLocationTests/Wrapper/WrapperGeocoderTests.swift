@_spi(Programs) import LocationKit
@_spi(Programs) import LocationKitTesting
@_spi(Programs) import LocationModel
@_spi(Programs) import OpenCoreLocation
import Testing

/// A caching geocoder as it is written for Apple's framework, over a scripted service.
@MainActor
struct WrapperGeocoderTests {
    private let fake = FakeReverseGeocoder()

    private func namer<Program>(_ body: () async throws -> Program) async rethrows -> Program {
        try await GeocodingBackend.$current.withValue(backend(fake), operation: body)
    }

    private static func zürich() throws -> Placemark {
        var place = Placemark(coordinate: try #require(Coordinate(latitude: 47.3667, longitude: 8.55)))
        place.name = "Bahnhofstrasse 1"
        place.thoroughfare = "Bahnhofstrasse"
        place.subThoroughfare = "1"
        place.locality = "Zürich"
        place.countryCode = "CH"
        return place
    }

    @Test func namesAreRequestedOnceAndThenKnown() async throws {
        fake.result = .success([try Self.zürich()])
        try await namer {
            let program = PlaceNamer()
            var names: [String] = []
            for _ in 0..<3 {
                program.name(of: CLLocation(latitude: 47.3667, longitude: 8.55)) { names.append((try? $0.get()) ?? "") }
                await mainQueueTurn()
            }
            #expect(names == Array(repeating: "1 Bahnhofstrasse, Zürich, CH", count: 3))
            #expect(fake.requests.count == 1)
            let known = try await program.placemark(at: CLLocation(latitude: 47.36669, longitude: 8.55001))
            #expect(known.locality == "Zürich" && fake.requests.count == 1)
            program.forgetAll()
            let asked = try await program.placemark(at: CLLocation(latitude: -33.9, longitude: 18.4))
            #expect(asked.isoCountryCode == "CH" && fake.requests.count == 2)
        }
    }

    @Test func waitingRequestsTakeTurns() async throws {
        try await namer {
            let program = PlaceNamer()
            var names: [String] = []
            for latitude in [1.0, 2, 3] {
                program.name(of: CLLocation(latitude: latitude, longitude: 0)) { result in
                    names.append((try? result.get()) ?? "\(result)")
                }
            }
            for latitude in [1.0, 2, 3] {
                let place = try #require(Coordinate(latitude: latitude, longitude: 0))
                guard case .place(place, _)? = fake.pendingRequest else {
                    Issue.record("\(String(describing: fake.pendingRequest))")
                    return
                }
                var answer = Placemark(coordinate: place)
                answer.ocean = "Ocean \(latitude)"
                fake.answer(.success([answer]))
                await mainQueueTurn()
            }
            #expect(names == ["Ocean 1.0", "Ocean 2.0", "Ocean 3.0"])
            #expect(fake.requests.count == 3)
        }
    }

    @Test func failuresAreDistinctAndIncludeCancellation() async throws {
        await namer {
            let program = PlaceNamer()
            var failures: [PlaceNamer.Failure] = []
            func request(_ latitude: Double) {
                program.name(of: CLLocation(latitude: latitude, longitude: 0)) { result in
                    if case .failure(let failure) = result { failures.append(failure) }
                }
            }
            let errors = [GeocodingError.noResult, .network(reason: "cut off"), .partialResult([])]
            for (latitude, error) in zip([10.0, 20, 30], errors) {
                request(latitude)
                fake.answer(.failure(error))
                await mainQueueTurn()
            }
            #expect(failures == [.unknownPlace, .notNow, .unknownPlace])
            request(2)
            request(3)
            program.cancelAll()
            await mainQueueTurn()
            #expect(failures == [.unknownPlace, .notNow, .unknownPlace, .notNow])
            #expect(fake.pendingRequest == nil)
        }
    }

    @Test func namesAreFoundNearAPlaceFirst() async throws {
        let places = try [(39.8, -89.6), (47.4, 8.5), (42.1, -72.6)].map { latitude, longitude in
            Placemark(coordinate: try #require(Coordinate(latitude: latitude, longitude: longitude)))
        }
        fake.result = .success(places)
        await namer {
            let program = PlaceNamer()
            var found: [CLLocationCoordinate2D?] = []
            program.find("Springfield", near: CLLocation(latitude: 42.1, longitude: -72.5)) { found.append($0) }
            await mainQueueTurn()
            #expect(found.map { $0?.latitude } == [42.1])
            #expect(fake.requests == [.name("Springfield", locale: nil, limit: 100)])
        }
    }
}

/// The backend whose geocoders are one fake.
func backend(_ fake: FakeReverseGeocoder) -> GeocodingBackend {
    GeocodingBackend { fake }
}
