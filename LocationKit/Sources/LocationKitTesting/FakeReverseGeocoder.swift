@_spi(Programs) public import LocationKit
@_spi(Programs) public import LocationModel

/// A geocoder whose answers a test controls.
///
/// ```swift
/// let fake = FakeReverseGeocoder(.success([paris]))
/// let album = Album(geocoder: fake)           // takes any ReverseGeocoding
/// await album.add(photo)
/// #expect(album.title == "Paris")
/// fake.result = .failure(.network(reason: "the test has cut it off"))
/// ```
///
/// Everything but the service is the real `ReverseGeocoder`, so one request at a time, cancellation and caching are as
/// in the finished program. Without a ``result`` a request is pending until the test answers it.
public final class FakeReverseGeocoder: ReverseGeocoding {
    /// The real geocoder, for code that takes only that.
    public let geocoder: ReverseGeocoder
    let transport: ScriptedPlacesTransport

    /// - Parameters:
    ///   - result: the immediate answer to every request; `nil` leaves requests pending for ``answer(_:)``.
    ///   - delivery: where completions run.
    public init(_ result: Result<[Placemark], GeocodingError>? = nil, delivery: Delivery = .immediate) {
        transport = ScriptedPlacesTransport(result)
        geocoder = ReverseGeocoder(transport: transport, delivery: delivery)
    }

    // MARK: Control by the test

    /// The immediate answer to every request from now on; `nil` leaves requests pending for ``answer(_:)``.
    public var result: Result<[Placemark], GeocodingError>? {
        get { transport.result }
        set { transport.result = newValue }
    }

    /// The requests that the service has received, in order; cached answers do not reach it.
    public var requests: [GeocodingRequest] { transport.requests }

    /// The request that is pending.
    public var pendingRequest: GeocodingRequest? { transport.pendingRequest }

    /// Answers the pending request.
    ///
    /// - Returns: false if there is none.
    @discardableResult
    public func answer(_ result: Result<[Placemark], GeocodingError>) -> Bool { transport.answerPending(result) }

    // MARK: Requests of the program

    /// True while a request is pending.
    public var isGeocoding: Bool { geocoder.isGeocoding }

    /// The places at a position.
    public func reverseGeocode(_ coordinate: Coordinate, locale: String?) async throws(GeocodingError) -> [Placemark] {
        try await geocoder.reverseGeocode(coordinate, locale: locale)
    }
    /// The same for callers that are not asynchronous.
    public func reverseGeocode(
        _ coordinate: Coordinate, locale: String? = nil,
        completion: @escaping @Sendable (Result<[Placemark], GeocodingError>) -> Void
    ) {
        geocoder.reverseGeocode(coordinate, locale: locale, completion: completion)
    }

    /// The places with a name.
    public func geocode(_ text: String, locale: String?, limit: Int) async throws(GeocodingError) -> [Placemark] {
        try await geocoder.geocode(text, locale: locale, limit: limit)
    }
    /// The same for callers that are not asynchronous.
    public func geocode(
        _ text: String, locale: String? = nil, limit: Int = 10,
        completion: @escaping @Sendable (Result<[Placemark], GeocodingError>) -> Void
    ) {
        geocoder.geocode(text, locale: locale, limit: limit, completion: completion)
    }

    /// Answers the pending request, if there is one, with `cancelled`.
    public func cancelGeocode() { geocoder.cancelGeocode() }
}
