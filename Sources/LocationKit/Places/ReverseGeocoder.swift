public import LocationModel

/// Tells what a place is called, and where a place of a name is.
///
/// The answers come from the service `locationd-places`, which is connected to for each request and no longer. It is
/// given the coordinates and never asks where the machine is; whether it uses a network, its administrator says.
///
/// A geocoder remembers its last ``cacheCapacity`` answers, "nothing is known there" among them but no failure, and answers
/// from them for coordinates of the same language within ``cacheTolerance`` degrees. A request goes on when its geocoder is
/// released.
public final class ReverseGeocoder: ReverseGeocoding {
    /// How many answers a geocoder remembers.
    public static let cacheCapacity = PlacemarkCache.capacity
    /// How near a remembered position has to be, degrees of latitude and of longitude: some 11 m.
    public static let cacheTolerance = PlacemarkCache.tolerance

    private let core: GeocoderCore
    private let delivery: Delivery

    /// - Parameters:
    ///   - socketPath: the service's socket; `nil` for `LOCATIOND_PLACES_SOCKET` or the usual one.
    ///   - timeout: how long the service may wait for a network, seconds, 1...300; other numbers fail each request with
    ///     `invalidParameter`. A service that says nothing for 10 s more counts as not reachable; where many ask at once,
    ///     the time of each begins when its turn has come.
    ///   - delivery: where completions run. With ``Delivery/immediate`` an answer from memory is told before the call
    ///     returns.
    public convenience init(socketPath: String? = nil, timeout: Double = 30, delivery: Delivery = .immediate) {
        self.init(
            transport: DaemonPlacesTransport(path: socketPath ?? SocketPath.places), timeout: timeout,
            delivery: delivery)
    }

    package init(transport: any PlacesTransport, timeout: Double = 30, delivery: Delivery = .immediate) {
        core = GeocoderCore(transport: transport, timeout: timeout)
        self.delivery = delivery
    }

    /// True while a request waits for its answer.
    public var isGeocoding: Bool { core.isBusy }

    /// What is at a position, the best answer first.
    ///
    /// - Parameters:
    ///   - coordinate: the position.
    ///   - locale: the language of the answer as a tag (BCP 47) like "de" or "pt-BR"; `nil` for that of the environment
    ///     (`LC_ALL`, `LC_MESSAGES`, `LANG`).
    /// - Throws: `noResult` where nothing is known; `requestInProgress` while another request waits; `cancelled` if the
    ///   request or the task is; any ``GeocodingError``.
    public func reverseGeocode(_ coordinate: Coordinate, locale: String?) async throws(GeocodingError) -> [Placemark] {
        try await core.placemarks(for: .place(coordinate, locale: locale))
    }

    /// The same for callers that are not asynchronous; the completion is called exactly once.
    public func reverseGeocode(
        _ coordinate: Coordinate, locale: String? = nil,
        completion: @escaping @Sendable (Result<[Placemark], GeocodingError>) -> Void
    ) {
        startRequest(.place(coordinate, locale: locale), completion)
    }

    /// Where something of a name is, the best answer first.
    ///
    /// - Parameters:
    ///   - text: a name, with more after commas: "Springfield, Illinois, US"; at most 512 bytes.
    ///   - locale: the language of the answer; `nil` for that of the environment.
    ///   - limit: how many answers, 1...100.
    /// - Throws: `noResult` if there is no such place; `requestInProgress` while another request waits; `cancelled` if
    ///   the request or the task is; any ``GeocodingError``.
    public func geocode(_ text: String, locale: String?, limit: Int) async throws(GeocodingError) -> [Placemark] {
        try await core.placemarks(for: .name(text, locale: locale, limit: limit))
    }

    /// The same for callers that are not asynchronous; the completion is called exactly once.
    public func geocode(
        _ text: String, locale: String? = nil, limit: Int = 10,
        completion: @escaping @Sendable (Result<[Placemark], GeocodingError>) -> Void
    ) {
        startRequest(.name(text, locale: locale, limit: limit), completion)
    }

    /// Answers the present request, if there is one, with `cancelled`.
    public func cancelGeocode() {
        core.cancel()
    }

    private func startRequest(
        _ request: GeocodingRequest, _ completion: @escaping @Sendable (Result<[Placemark], GeocodingError>) -> Void
    ) {
        core.startRequest(core.newID(), request) { [delivery] result in delivery.run { completion(result) } }
    }
}
