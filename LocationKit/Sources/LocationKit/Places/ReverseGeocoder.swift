@_spi(Programs) public import LocationModel

/// Finds the name of a place, and the places of a name.
///
/// The answers come from the service `locationd-places`; each request has a connection of its own. The service receives
/// the coordinates and never asks for the machine's location. Its administrator decides whether it uses a network.
///
/// A geocoder caches its last ``cacheCapacity`` results, including `noResult` but no failure, and uses them for
/// coordinates within ``cacheTolerance`` degrees in the same language. A pending request goes on when its geocoder is
/// released.
public final class ReverseGeocoder: ReverseGeocoding {
    /// The number of cached results.
    public static let cacheCapacity = PlacemarkCache.capacity
    /// How far a position may be from a cached one, degrees of latitude and of longitude: some 11 m.
    public static let cacheTolerance = PlacemarkCache.tolerance

    private let core: GeocoderCore
    private let delivery: Delivery

    /// - Parameters:
    ///   - socketPath: the service's socket; `nil` for `LOCATIOND_PLACES_SOCKET` or the default socket.
    ///   - timeout: seconds that the service may wait for a network, 1...300; with other numbers every request fails
    ///     with `invalidParameter`. A service that is silent for 10 s longer counts as not reachable. The time-out of a
    ///     request does not include the time in which it waits for other requests of this process.
    ///   - delivery: where completions run. With ``Delivery/immediate`` a cached result is delivered before the call
    ///     returns.
    public convenience init(socketPath: String? = nil, timeout: Double = 30, delivery: Delivery = .immediate) {
        self.init(
            transport: DaemonPlacesTransport(path: socketPath ?? SocketPath.places), timeout: timeout,
            delivery: delivery)
    }

    @_spi(Programs) public init(transport: any PlacesTransport, timeout: Double = 30, delivery: Delivery = .immediate) {
        core = GeocoderCore(transport: transport, timeout: timeout)
        self.delivery = delivery
    }

    /// True while a request is pending.
    public var isGeocoding: Bool { core.isBusy }

    /// The places at a position, the best match first.
    ///
    /// - Parameters:
    ///   - coordinate: the position.
    ///   - locale: the language of the answer as a tag (BCP 47) like "de" or "pt-BR"; `nil` for that of the environment
    ///     (`LC_ALL`, `LC_MESSAGES`, `LANG`).
    /// - Throws: `noResult` if no place is known there; `requestInProgress` while another request is pending;
    ///   `cancelled` if the request or the task is cancelled; any ``GeocodingError``.
    public func reverseGeocode(_ coordinate: Coordinate, locale: String?) async throws(GeocodingError) -> [Placemark] {
        try await core.placemarks(for: .place(coordinate, locale: locale))
    }

    /// The same for callers that are not asynchronous. The completion is called exactly once.
    public func reverseGeocode(
        _ coordinate: Coordinate, locale: String? = nil,
        completion: @escaping @Sendable (Result<[Placemark], GeocodingError>) -> Void
    ) {
        startRequest(.place(coordinate, locale: locale), completion)
    }

    /// The places with a name, the best match first.
    ///
    /// - Parameters:
    ///   - text: a name, with more of the address after commas: "Springfield, Illinois, US"; at most 512 bytes.
    ///   - locale: the language of the answer; `nil` for that of the environment.
    ///   - limit: the number of places at most, 1...100.
    /// - Throws: `noResult` if there is no such place; `requestInProgress` while another request is pending;
    ///   `cancelled` if the request or the task is cancelled; any ``GeocodingError``.
    public func geocode(_ text: String, locale: String?, limit: Int) async throws(GeocodingError) -> [Placemark] {
        try await core.placemarks(for: .name(text, locale: locale, limit: limit))
    }

    /// The same for callers that are not asynchronous. The completion is called exactly once.
    public func geocode(
        _ text: String, locale: String? = nil, limit: Int = 10,
        completion: @escaping @Sendable (Result<[Placemark], GeocodingError>) -> Void
    ) {
        startRequest(.name(text, locale: locale, limit: limit), completion)
    }

    /// Answers the pending request, if there is one, with `cancelled`.
    public func cancelGeocode() {
        core.cancel()
    }

    private func startRequest(
        _ request: GeocodingRequest, _ completion: @escaping @Sendable (Result<[Placemark], GeocodingError>) -> Void
    ) {
        core.startRequest(core.newID(), request) { [delivery] result in delivery.run { completion(result) } }
    }
}
