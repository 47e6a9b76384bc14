@_spi(Programs) import LocationModel
import Testing

@_spi(Programs) @testable import LocationKit

@Suite struct PlacemarkCacheTests {
    typealias Answer = Result<[Placemark], GeocodingError>

    private var cache = PlacemarkCache()

    private func request(_ latitude: Double, _ longitude: Double, _ locale: String? = nil) throws -> GeocodingRequest {
        .place(try .at(latitude, longitude), locale: locale)
    }

    private mutating func remember(_ name: String, _ latitude: Double, _ longitude: Double) throws {
        cache.store(
            .success([try .town(name, latitude: latitude, longitude: longitude)]), for: try request(latitude, longitude)
        )
    }

    private mutating func answer(at latitude: Double, _ longitude: Double, _ locale: String? = nil) throws -> Answer? {
        cache.result(for: try request(latitude, longitude, locale))
    }

    private mutating func name(at latitude: Double, _ longitude: Double) throws -> String? {
        try answer(at: latitude, longitude)?.get().first?.name
    }

    @Test(arguments: [
        (47.0, 8.0, 47.0001, 8.0), (47, 8, 46.9999, 8.0001), (-33, 151, -33.0001, 150.9999),
        (0, 180, 0, -179.99995), (0, -180, 0, 179.9999), (0, 180, 0, -180), (90, 10, 89.9999, 10),
    ])
    mutating func nearIsTheSame(_ latitude: Double, _ longitude: Double, _ near: Double, _ beside: Double) throws {
        try remember("town", latitude, longitude)
        #expect(try name(at: near, beside) == "town")
    }

    @Test(arguments: [
        (47.0, 8.0, 47.00011, 8.0), (47, 8, 47, 7.99989), (0, 180, 0, -179.9998), (47, 8, -47, 8), (47, 8, 47, -8),
    ])
    mutating func farIsAnother(_ latitude: Double, _ longitude: Double, _ far: Double, _ beside: Double) throws {
        try remember("town", latitude, longitude)
        #expect(try answer(at: far, beside) == nil)
    }

    @Test mutating func eachLanguageIsCachedSeparately() throws {
        cache.store(.success([try .town("Genf")]), for: try request(46.2, 6.1, "de"))
        #expect(try answer(at: 46.2, 6.1, "fr") == nil)
        #expect(try answer(at: 46.2, 6.1) == nil)
        #expect(try answer(at: 46.2, 6.1, "de") != nil)
    }

    @Test mutating func noResultIsCachedAndFailuresAreNot() throws {
        let failures: [GeocodingError] = [
            .network(reason: "cut off"), .busy(limit: 4), .cancelled, .disconnected, .partialResult([]),
            .requestInProgress, .protocolViolation("what"), .refused(error: "e", reason: nil),
            .invalidParameter("p", reason: "r"), .serviceNotReachable(path: "/p", reason: "r"),
        ]
        for failure in failures {
            cache.store(.failure(failure), for: try request(1, 1))
            #expect(try answer(at: 1, 1) == nil, "\(failure)")
        }
        cache.store(.failure(.noResult), for: try request(1, 1))
        #expect(try answer(at: 1, 1) == .failure(.noResult))
    }

    @Test mutating func theLeastRecentlyUsedIsEvicted() throws {
        for number in 0..<PlacemarkCache.capacity { try remember("\(number)", Double(number) / 10, 0) }
        #expect(try name(at: 0, 0) == "0", "asked for again")
        try remember("new", 50, 50)
        #expect(cache.count == PlacemarkCache.capacity)
        #expect(try answer(at: 0.1, 0) == nil)
        #expect(try name(at: 0, 0) == "0")
        #expect(try name(at: 50, 50) == "new")
    }

    @Test mutating func namesAreNotCached() throws {
        let request = GeocodingRequest.name("Genf", locale: nil, limit: 1)
        cache.store(.success([try .town("Genf")]), for: request)
        #expect(cache.count == 0)
        #expect(cache.result(for: request) == nil)
    }

    @Test mutating func distanceIsThatFromTheNewPosition() throws {
        var place = try Placemark.town("town", latitude: 47, longitude: 8)
        place.distance = 0
        cache.store(.success([place]), for: try request(47, 8))
        let known = try #require(try answer(at: 47.0001, 8)?.get().first)
        #expect(abs((known.distance ?? 0) - 11.12) < 0.01)
        place.distance = nil
        cache.store(.success([place]), for: try request(20, 8))
        #expect(try answer(at: 20, 8)?.get().first?.distance == nil)
    }
}
