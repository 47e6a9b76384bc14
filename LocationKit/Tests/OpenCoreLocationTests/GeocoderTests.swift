@_spi(Programs) import LocationKit
@_spi(Programs) import LocationKitTesting
@_spi(Programs) import LocationModel
@_spi(Programs) import OpenCoreLocation
import Testing

/// `CLGeocoder` as Apple describes it.
@MainActor
struct GeocoderTests {
    private let fake = FakeReverseGeocoder()
    private let geocoder: CLGeocoder
    private let here = CLLocation(latitude: 47.37, longitude: 8.54)

    init() {
        geocoder = GeocodingBackend.$current.withValue(backend(fake)) { CLGeocoder() }
    }

    private final class KernelAnswer {
        static let isMain: DispatchSpecificKey<Bool> = {
            let key = DispatchSpecificKey<Bool>()
            DispatchQueue.main.setSpecific(key: key, value: true)
            return key
        }()

        var calls: [(placemarks: [CLPlacemark]?, code: CLError.Code?)] = []
        var codes: [CLError.Code?] { calls.map(\.code) }

        func handler(_ placemarks: [CLPlacemark]?, _ error: (any Error)?) {
            #expect(DispatchQueue.getSpecific(key: Self.isMain) == true)
            #expect((placemarks == nil) != (error == nil), "both or neither")
            calls.append((placemarks, (error as? CLError)?.code))
        }
    }

    private func town(_ name: String) throws -> Placemark {
        var place = Placemark(coordinate: try #require(Coordinate(latitude: 47.3667, longitude: 8.55)))
        place.locality = name
        return place
    }

    @Test func handlerIsCalledOnceAndLater() async throws {
        let received = KernelAnswer()
        geocoder.reverseGeocodeLocation(here, completionHandler: received.handler)
        #expect(geocoder.isGeocoding)
        fake.answer(.success([try town("Zürich")]))
        #expect(received.calls.isEmpty, "not within the call")
        await mainQueueTurn()
        #expect(received.calls.count == 1 && received.calls[0].placemarks?.map(\.locality) == ["Zürich"])
        #expect(!geocoder.isGeocoding)
    }

    @Test func secondRequestIsCancelledAndTheFirstGoesOn() async throws {
        let (first, second) = (KernelAnswer(), KernelAnswer())
        geocoder.reverseGeocodeLocation(here, completionHandler: first.handler)
        geocoder.geocodeAddressString("Bern", completionHandler: second.handler)
        await mainQueueTurn()
        #expect(second.codes == [.geocodeCanceled] && first.calls.isEmpty)
        fake.answer(.success([try town("Zürich")]))
        await mainQueueTurn()
        #expect(first.codes == [nil] && second.calls.count == 1)
    }

    @Test func cancellationIsDeliveredOnce() async throws {
        let received = KernelAnswer()
        geocoder.cancelGeocode()
        geocoder.reverseGeocodeLocation(here, completionHandler: received.handler)
        geocoder.cancelGeocode()
        geocoder.cancelGeocode()
        #expect(!geocoder.isGeocoding)
        await mainQueueTurn()
        #expect(received.codes == [.geocodeCanceled])
        #expect(!fake.answer(.success([try town("late")])))
    }

    @Test(
        arguments: [
            (.noResult, .geocodeFoundNoResult), (.partialResult([]), .geocodeFoundPartialResult),
            (.cancelled, .geocodeCanceled), (.network(reason: "cut"), .network), (.busy(limit: 3), .network),
            (.disconnected, .network), (.serviceNotReachable(path: "/x", reason: "no such file"), .network),
            (.protocolViolation("noise"), .network), (.refused(error: "e", reason: nil), .network),
            (.invalidParameter("text", reason: "too long"), .geocodeFoundNoResult),
        ] as [(GeocodingError, CLError.Code)])
    func errorsHaveApplesCodesAndTheNextStep(_ error: GeocodingError, _ code: CLError.Code) async throws {
        fake.result = .failure(error)
        do {
            _ = try await geocoder.reverseGeocodeLocation(here)
            Issue.record("answered")
        } catch let received as CLError {
            #expect(received.code == code)
            #expect(received.localizedDescription == error.description)
            #expect(received.userInfo[NSUnderlyingErrorKey] as? GeocodingError == error)
        }
    }

    @Test(
        arguments: [
            CLLocation(latitude: 91, longitude: 0), CLLocation(latitude: .nan, longitude: 0),
            CLLocation(latitude: 0, longitude: .infinity),
        ])
    func noPlaceHasNoName(_ location: CLLocation) async throws {
        let received = KernelAnswer()
        geocoder.reverseGeocodeLocation(location, completionHandler: received.handler)
        await mainQueueTurn()
        #expect(received.codes == [.geocodeFoundNoResult])
        await #expect(throws: CLError.self) { try await geocoder.reverseGeocodeLocation(location) }
        #expect(fake.requests.isEmpty)
    }

    @Test func emptyAddressHasNoPlace() async throws {
        let received = KernelAnswer()
        geocoder.geocodeAddressString("", completionHandler: received.handler)
        await mainQueueTurn()
        #expect(received.codes == [.geocodeFoundNoResult])
    }

    @Test(
        arguments: [
            (Locale(identifier: "de_CH"), "de-CH"), (Locale(identifier: "pt_BR@currency=EUR"), "pt-BR"),
            (Locale(identifier: "zh_Hant_TW"), "zh-Hant-TW"), (nil, nil),
        ] as [(Locale?, String?)])
    func languageIsThatOfTheLocale(_ locale: Locale?, _ tag: String?) async throws {
        fake.result = .success([try town("Zürich")])
        _ = try await geocoder.reverseGeocodeLocation(here, preferredLocale: locale)
        _ = try await geocoder.geocodeAddressString("Zürich", in: nil, preferredLocale: locale)
        #expect(fake.requests.map(\.locale) == [tag, tag])
        #expect(fake.requests.last == .name("Zürich", locale: tag, limit: 10))
    }

    @Test func handlerIsCalledWithoutItsGeocoder() async throws {
        let received = KernelAnswer()
        GeocodingBackend.$current.withValue(backend(fake)) {
            CLGeocoder().reverseGeocodeLocation(here, completionHandler: received.handler)
        }
        fake.answer(.success([try town("Zürich")]))
        await mainQueueTurn()
        #expect(received.codes == [nil])
    }

    @Test func withoutAServiceTheErrorSaysWhatToDo() async throws {
        let alone = GeocodingBackend.$current.withValue(
            GeocodingBackend { ReverseGeocoder(socketPath: "/nowhere/places.sock") }
        ) { CLGeocoder() }
        do {
            _ = try await alone.geocodeAddressString("Zürich")
            Issue.record("answered")
        } catch let error as CLError {
            #expect(error.code == .network)
            #expect(error.localizedDescription.contains("install it (`apt install locationd-places`)"))
        }
    }
}
