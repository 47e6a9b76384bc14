public import LocationModel

/// Knows places by name: what ``ReverseGeocoder`` does, and what a program's own code should ask for, so that its tests
/// can give it a `FakeReverseGeocoder` instead.
///
/// **One request at a time**: while ``isGeocoding`` is true a further one is refused with `requestInProgress`, and the
/// first goes on. Another request may be made as soon as an answer is told, in the completion itself too.
///
/// **Every request is answered once**, with at least one place, the best first, or with an error.
public protocol ReverseGeocoding: AnyObject, Sendable {
    /// True while a request waits for its answer.
    var isGeocoding: Bool { get }

    /// What is at a position.
    ///
    /// - Parameters:
    ///   - coordinate: the position.
    ///   - locale: the language of the answer as a tag (BCP 47) like "de" or "pt-BR"; `nil` for that of the environment
    ///     (`LC_ALL`, `LC_MESSAGES`, `LANG`).
    /// - Throws: `noResult` where nothing is known; `cancelled` if the request or the task is; any ``GeocodingError``.
    func reverseGeocode(_ coordinate: Coordinate, locale: String?) async throws(GeocodingError) -> [Placemark]
    /// The same for callers that are not asynchronous; the completion is called exactly once.
    func reverseGeocode(
        _ coordinate: Coordinate, locale: String?,
        completion: @escaping @Sendable (Result<[Placemark], GeocodingError>) -> Void)

    /// Where something of a name is.
    ///
    /// - Parameters:
    ///   - text: a name, with more after commas: "Springfield, Illinois, US"; at most 512 bytes.
    ///   - locale: the language of the answer; `nil` for that of the environment.
    ///   - limit: how many answers, 1...100.
    /// - Throws: `noResult` if there is no such place; `cancelled` if the request or the task is; any
    ///   ``GeocodingError``.
    func geocode(_ text: String, locale: String?, limit: Int) async throws(GeocodingError) -> [Placemark]
    /// The same for callers that are not asynchronous; the completion is called exactly once.
    func geocode(
        _ text: String, locale: String?, limit: Int,
        completion: @escaping @Sendable (Result<[Placemark], GeocodingError>) -> Void)

    /// Answers the present request, if there is one, with `cancelled`.
    func cancelGeocode()
}

extension ReverseGeocoding {
    /// What is at a position, in the language of the environment.
    public func reverseGeocode(_ coordinate: Coordinate) async throws(GeocodingError) -> [Placemark] {
        try await reverseGeocode(coordinate, locale: nil)
    }

    /// What is where a location is, in the language of the environment unless said otherwise.
    public func reverseGeocode(
        _ location: Location, locale: String? = nil
    ) async throws(GeocodingError) -> [Placemark] {
        try await reverseGeocode(location.coordinate, locale: locale)
    }

    /// The same for callers that are not asynchronous.
    public func reverseGeocode(
        _ location: Location, locale: String? = nil,
        completion: @escaping @Sendable (Result<[Placemark], GeocodingError>) -> Void
    ) {
        reverseGeocode(location.coordinate, locale: locale, completion: completion)
    }

    /// Where something of a name is: ten answers at most, in the language of the environment, unless said otherwise.
    public func geocode(_ text: String, locale: String? = nil) async throws(GeocodingError) -> [Placemark] {
        try await geocode(text, locale: locale, limit: 10)
    }
}
