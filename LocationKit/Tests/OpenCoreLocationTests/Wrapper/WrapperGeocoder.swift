#if canImport(CoreLocation)
    import CoreLocation
#else
    @_spi(Programs) import OpenCoreLocation
#endif

/// Names of places for a list of photographs: each place is requested once, and the requests take turns.
final class PlaceNamer {
    enum Failure: Error {
        case unknownPlace, notNow
    }

    typealias Completion = (Result<String, Failure>) -> Void

    private final class Entry {
        let placemark: CLPlacemark
        let date = Date()

        init(_ placemark: CLPlacemark) { self.placemark = placemark }
    }

    private let geocoder = CLGeocoder()
    private let entries = NSCache<NSString, Entry>()
    private let lifetime: TimeInterval
    private var queue: [(location: CLLocation, completion: Completion)] = []

    init(lifetime: TimeInterval = 3600) {
        self.lifetime = lifetime
        entries.countLimit = 50
    }

    /// Calls back with a short name, at once if it is cached.
    func name(of location: CLLocation, completion: @escaping Completion) {
        if let placemark = known(location) { return completion(.success(Self.title(placemark))) }
        queue.append((location, completion))
        next()
    }

    /// The same for asynchronous callers.
    func placemark(at location: CLLocation) async throws -> CLPlacemark {
        if let placemark = known(location) { return placemark }
        guard let placemark = try await CLGeocoder().reverseGeocodeLocation(location).first else {
            throw Failure.unknownPlace
        }
        entries.setObject(Entry(placemark), forKey: Self.key(location))
        return placemark
    }

    /// Drops the waiting requests; the one under way ends as cancelled.
    func cancelAll() {
        queue.removeAll()
        if geocoder.isGeocoding { geocoder.cancelGeocode() }
    }

    func forgetAll() {
        entries.removeAllObjects()
    }

    /// The location of a place with a name, near another one.
    func find(_ text: String, near location: CLLocation, completion: @escaping (CLLocationCoordinate2D?) -> Void) {
        let region = CLCircularRegion(center: location.coordinate, radius: 50_000, identifier: "near")
        CLGeocoder().geocodeAddressString(text, in: region) { placemarks, _ in
            completion(placemarks?.first?.location?.coordinate)
        }
    }

    private func next() {
        guard !geocoder.isGeocoding, !queue.isEmpty else { return }
        let (location, completion) = queue.removeFirst()
        if let placemark = known(location) {
            completion(.success(Self.title(placemark)))
            return next()
        }
        geocoder.reverseGeocodeLocation(location) { [weak self] placemarks, error in
            if let placemark = placemarks?.first {
                self?.entries.setObject(Entry(placemark), forKey: Self.key(location))
                completion(.success(Self.title(placemark)))
            } else {
                completion(.failure(Self.failure(error)))
            }
            self?.next()
        }
    }

    private static func failure(_ error: (any Error)?) -> Failure {
        switch (error as? CLError)?.code {
        case .geocodeFoundNoResult?, .geocodeFoundPartialResult?, nil: .unknownPlace
        default: .notNow
        }
    }

    private func known(_ location: CLLocation) -> CLPlacemark? {
        guard let entry = entries.object(forKey: Self.key(location)) else { return nil }
        return -entry.date.timeIntervalSinceNow < lifetime ? entry.placemark : nil
    }

    private static func key(_ location: CLLocation) -> NSString {
        String(format: "%.3f %.3f", location.coordinate.latitude, location.coordinate.longitude) as NSString
    }

    private static func title(_ placemark: CLPlacemark) -> String {
        let street = [placemark.subThoroughfare, placemark.thoroughfare].compactMap { $0 }.joined(separator: " ")
        let parts = [street.isEmpty ? nil : street, placemark.locality, placemark.isoCountryCode]
        let title = parts.compactMap { $0 }.joined(separator: ", ")
        return title.isEmpty ? placemark.name ?? placemark.ocean ?? "?" : title
    }
}
