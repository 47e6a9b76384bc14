@_spi(Programs) public import LocationModel

/// What ``ReverseGeocoder`` provides. Programs that take this protocol can be tested with a `FakeReverseGeocoder`.
///
/// **One request at a time**: while ``isGeocoding`` is true, another request fails with `requestInProgress` and the
/// first goes on. Once a request is answered, even in its completion, the next one may be made.
///
/// **Every request is answered once**, with at least one place, the best match first, or with an error.
public protocol ReverseGeocoding: AnyObject, Sendable {
    /// True while a request is pending.
    var isGeocoding: Bool { get }

    /// The places at a position.
    ///
    /// - Parameters:
    ///   - coordinate: the position.
    ///   - locale: the language of the answer as a tag (BCP 47) like "de" or "pt-BR"; `nil` for that of the environment
    ///     (`LC_ALL`, `LC_MESSAGES`, `LANG`).
    /// - Throws: `noResult` if no place is known there; `cancelled` if the request or the task is cancelled; any
    ///   ``GeocodingError``.
    func reverseGeocode(_ coordinate: Coordinate, locale: String?) async throws(GeocodingError) -> [Placemark]
    /// The same for callers that are not asynchronous. The completion is called exactly once.
    func reverseGeocode(
        _ coordinate: Coordinate, locale: String?,
        completion: @escaping @Sendable (Result<[Placemark], GeocodingError>) -> Void)

    /// The places with a name.
    ///
    /// - Parameters:
    ///   - text: a name, with more of the address after commas: "Springfield, Illinois, US"; at most 512 bytes.
    ///   - locale: the language of the answer; `nil` for that of the environment.
    ///   - limit: the number of places at most, 1...100.
    /// - Throws: `noResult` if there is no such place; `cancelled` if the request or the task is cancelled; any
    ///   ``GeocodingError``.
    func geocode(_ text: String, locale: String?, limit: Int) async throws(GeocodingError) -> [Placemark]
    /// The same for callers that are not asynchronous. The completion is called exactly once.
    func geocode(
        _ text: String, locale: String?, limit: Int,
        completion: @escaping @Sendable (Result<[Placemark], GeocodingError>) -> Void)

    /// Answers the pending request, if there is one, with `cancelled`.
    func cancelGeocode()
}

extension ReverseGeocoding {
    /// The places at a position, in the language of the environment.
    public func reverseGeocode(_ coordinate: Coordinate) async throws(GeocodingError) -> [Placemark] {
        try await reverseGeocode(coordinate, locale: nil)
    }

    /// The places at a location, by default in the language of the environment.
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

    /// The places with a name: ten at most, by default in the language of the environment.
    public func geocode(_ text: String, locale: String? = nil) async throws(GeocodingError) -> [Placemark] {
        try await geocode(text, locale: locale, limit: 10)
    }
}
