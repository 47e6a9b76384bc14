#if canImport(CoreLocation)
    import CoreLocation
#else
    @_spi(Programs) import OpenCoreLocation
#endif

/// The part of a location manager that a program needs; its tests have a double of it.
protocol LocationFetching: AnyObject {
    var fetcherDelegate: (any LocationFetchingDelegate)? { get set }
    var desiredAccuracy: CLLocationAccuracy { get set }
    func requestLocation()
}

protocol LocationFetchingDelegate: AnyObject {
    func fetcher(_ fetcher: any LocationFetching, didUpdateLocations locations: [CLLocation])
    func fetcher(_ fetcher: any LocationFetching, didFailWithError error: any Error)
}

extension CLLocationManager: LocationFetching {
    var fetcherDelegate: (any LocationFetchingDelegate)? {
        get { delegate as? any LocationFetchingDelegate }
        set { delegate = newValue as? any CLLocationManagerDelegate }
    }
}

/// Retrieves one location for each caller.
final class LocationRetriever: NSObject {
    typealias Completion = (Result<CLLocation, any Error>) -> Void

    private let fetcher: any LocationFetching
    private var completions: [Completion] = []

    init(fetcher: any LocationFetching = CLLocationManager()) {
        self.fetcher = fetcher
        super.init()
        self.fetcher.desiredAccuracy = kCLLocationAccuracyHundredMeters
        self.fetcher.fetcherDelegate = self
    }

    func retrieve(_ completion: @escaping Completion) {
        completions.append(completion)
        fetcher.requestLocation()
    }

    private func finish(_ result: Result<CLLocation, any Error>) {
        let waiting = completions
        completions = []
        waiting.forEach { $0(result) }
    }
}

extension LocationRetriever: LocationFetchingDelegate {
    func fetcher(_ fetcher: any LocationFetching, didUpdateLocations locations: [CLLocation]) {
        guard let location = locations.last else { return }
        finish(.success(location))
    }

    func fetcher(_ fetcher: any LocationFetching, didFailWithError error: any Error) {
        finish(.failure(error))
    }
}

extension LocationRetriever: CLLocationManagerDelegate {
    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        fetcher(manager, didUpdateLocations: locations)
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        fetcher(manager, didFailWithError: error)
    }
}
