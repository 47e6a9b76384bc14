@_spi(Programs) import LocationModel
import TestSupport
import Testing

@_spi(Programs) @testable import LocationKit

/// Requests for places over a socket, with right and wrong answers.
@Suite(.timeLimit(.minutes(10)))
struct DaemonPlacesTransportTests {
    typealias Answer = Result<[Placemark], GeocodingError>

    /// A geocoder whose client thread has that name, so that its end can be observed.
    private func geocoder(_ path: String, _ name: String, grace: Double = 10, timeout: Double = 30) -> ReverseGeocoder {
        ReverseGeocoder(
            transport: DaemonPlacesTransport(path: path, thread: ClientThread(named: name), grace: grace),
            timeout: timeout)
    }

    private func failure(
        _ body: () async throws(GeocodingError) -> [Placemark]
    ) async -> GeocodingError? {
        do throws(GeocodingError) {
            _ = try await body()
            return nil
        } catch {
            return error
        }
    }

    @Test func positionIsSentAndItsPlaceIsDelivered() async throws {
        let daemon = try LiveDaemon { _, _ in [PlaceReplies.places(PlaceReplies.zürich)] }
        let places = try await geocoder(daemon.path, "places-one").reverseGeocode(.at(47.37, 8.54), locale: "de-CH")
        #expect(places.count == 1)
        #expect(places.first?.locality == "Zürich" && places.first?.countryCode == "CH")
        #expect(places.first?.timeZone == "Europe/Zurich" && places.first?.distance == 1200)
        #expect(
            daemon.calls == [
                #"{"method":"org.locationd.places.ReverseGeocode","parameters":{"latitude":47.37,"locale":"de-CH","#
                    + #""longitude":8.54,"timeout":30}}"#
            ])
        try await eventually { daemon.open == 0 && ThreadCount.named("places-one") == 0 }
    }

    @Test func nameIsSentAndItsPlacesAreDelivered() async throws {
        let daemon = try LiveDaemon { _, _ in [PlaceReplies.places(PlaceReplies.zürich, PlaceReplies.zürich)] }
        let places = try await geocoder(daemon.path, "places-name", timeout: 5).geocode(
            "Zürich, CH", locale: "en", limit: 3)
        #expect(places.count == 2)
        #expect(
            daemon.calls == [
                #"{"method":"org.locationd.places.Geocode","parameters":{"limit":3,"locale":"en","#
                    + #""text":"Zürich, CH","timeout":5}}"#
            ])
    }

    @Test func withoutAServiceTheErrorSaysWhatToDo() async throws {
        let folder = try TemporaryFolder()
        let path = folder("places.sock")
        let error = await failure { () async throws(GeocodingError) in
            try await geocoder(path, "places-none").reverseGeocode(equator, locale: nil)
        }
        #expect(error == .serviceNotReachable(path: path, reason: "No such file or directory"))
        #expect(error?.description.contains("apt install locationd-places") == true)
        try await eventually { ThreadCount.named("places-none") == 0 }
    }

    @Test func silenceEndsWithTheTime() async throws {
        let daemon = try LiveDaemon { _, _ in [] }
        let error = await failure { () async throws(GeocodingError) in
            try await geocoder(daemon.path, "places-silent", grace: 0.05, timeout: 1).reverseGeocode(
                equator, locale: nil)
        }
        #expect(error == .serviceNotReachable(path: daemon.path, reason: "it does not answer"))
        try await eventually { daemon.open == 0 && ThreadCount.named("places-silent") == 0 }
    }

    @Test func serviceThatEndsMeanwhileIsRetriedOnce() async throws {
        let daemon = try LiveDaemon { _, daemon in
            daemon.calls.count == 1 ? nil : [PlaceReplies.places(PlaceReplies.zürich)]
        }
        let places = try await geocoder(daemon.path, "places-again").reverseGeocode(equator, locale: nil)
        #expect(places.first?.name == "Zürich")
        #expect(daemon.calls.count == 2)
    }

    @Test(arguments: ["", #"{"parameters":{"placemarks":[{"lat"#])
    func serviceThatAlwaysEndsIsNotRetriedForever(_ part: String) async throws {
        let daemon = try LiveDaemon { _, daemon in
            daemon.send(part, terminated: false)
            return nil
        }
        let error = await failure { () async throws(GeocodingError) in
            try await geocoder(daemon.path, "places-ends").reverseGeocode(equator, locale: nil)
        }
        #expect(error == .disconnected)
        #expect(daemon.accepted == 2)
    }

    @Test(arguments: [
        "HTTP/1.1 400 Bad Request", "[]", "{}", #"{"error":5}"#, #"{"parameters":{"placemarks":7}}"#,
        #"{"parameters":{"placemarks":[{"latitude":91,"longitude":0}]}}"#,
        #"{"parameters":{"placemarks":[{"latitude":1,"longitude":0,"name":5}]}}"#,
        #"{"error":"org.locationd.places.PartialResult","parameters":{}}"#,
        #"{"error":"org.locationd.places.Network","parameters":{"reason":null}}"#,
        #"{"error":"org.locationd.places.Busy","parameters":{"limit":"many"}}"#,
        String(repeating: "[", count: 100_000), String(repeating: "x", count: 5 << 20),
    ])
    func garbageIsAViolation(_ garbage: String) async throws {
        let daemon = try LiveDaemon { _, _ in [garbage] }
        let error = await failure { () async throws(GeocodingError) in
            try await geocoder(daemon.path, "places-garbage").reverseGeocode(equator, locale: nil)
        }
        guard case .protocolViolation(let what)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(!what.isEmpty)
        #expect(daemon.calls.count == 1)
        try await eventually { daemon.open == 0 }
    }

    @Test(arguments: [
        (PlaceReplies.places(), GeocodingError.noResult),
        (
            #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"locale","reason":"too long"}}"#,
            .invalidParameter("locale", reason: "too long")
        ),
        (
            #"{"error":"org.varlink.service.MethodNotFound","parameters":{"method":"m"}}"#,
            .refused(error: "org.varlink.service.MethodNotFound", reason: nil)
        ),
    ])
    func otherAnswersAreDelivered(_ reply: String, _ expected: GeocodingError) async throws {
        let daemon = try LiveDaemon { _, _ in [reply] }
        let error = await failure { () async throws(GeocodingError) in
            try await geocoder(daemon.path, "places-other").reverseGeocode(equator, locale: nil)
        }
        #expect(error == expected)
    }

    private var equator: Coordinate { get throws(GeocodingError) { try Self.coordinate(0, 0) } }

    private static func coordinate(_ latitude: Double, _ longitude: Double) throws(GeocodingError) -> Coordinate {
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else { throw .noResult }
        return coordinate
    }
}
