public import LocationKit
public import LocationModel

/// A geocoder whose answers a test makes up.
///
/// ```swift
/// let fake = FakeReverseGeocoder(.success([paris]))
/// let album = Album(geocoder: fake)           // takes any ReverseGeocoding
/// await album.add(photo)
/// #expect(album.title == "Paris")
/// fake.result = .failure(.network(reason: "the test has cut it off"))
/// ```
///
/// All but the transport is the real `ReverseGeocoder`, so one request at a time, cancellation and memory are as in the
/// finished program. Without a ``result`` a request waits until the test answers it.
public final class FakeReverseGeocoder: ReverseGeocoding {
    /// The geocoder itself, for code that takes no other.
    public let geocoder: ReverseGeocoder
    let transport: ScriptedPlacesTransport

    /// - Parameters:
    ///   - result: what each request is answered at once; `nil` lets it wait for ``answer(_:)``.
    ///   - delivery: where completions run.
    public init(_ result: Result<[Placemark], GeocodingError>? = nil, delivery: Delivery = .immediate) {
        transport = ScriptedPlacesTransport(result)
        geocoder = ReverseGeocoder(transport: transport, delivery: delivery)
    }

    // MARK: What the test says and sees

    /// What each request from now on is answered at once; `nil` lets it wait for ``answer(_:)``.
    public var result: Result<[Placemark], GeocodingError>? {
        get { transport.result }
        set { transport.result = newValue }
    }

    /// What the service was asked so far, in order; what the geocoder remembers is not asked again.
    public var requests: [GeocodingRequest] { transport.requests }

    /// What waits for its answer.
    public var pendingRequest: GeocodingRequest? { transport.pendingRequest }

    /// Answers the request that waits.
    ///
    /// - Returns: false if none does.
    @discardableResult
    public func answer(_ result: Result<[Placemark], GeocodingError>) -> Bool { transport.answerPending(result) }

    // MARK: What the program asks

    /// True while a request waits for its answer.
    public var isGeocoding: Bool { geocoder.isGeocoding }

    /// What is at a position.
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

    /// Where something of a name is.
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

    /// Answers the present request, if there is one, with `cancelled`.
    public func cancelGeocode() { geocoder.cancelGeocode() }
}
