package import LocationModel

/// The places service as a geocoder sees it: the daemon, or a double of it.
package protocol PlacesTransport: Sendable {
    /// Asks; the answer is called once, by any thread, perhaps before this returns, and after the call is cancelled
    /// perhaps not at all.
    ///
    /// - Parameter timeout: how long a network may be waited for, seconds.
    func ask(
        _ request: GeocodingRequest, timeout: Double,
        answer: @escaping @Sendable (Result<[Placemark], GeocodingError>) -> Void
    ) -> any CancellableCall
}
