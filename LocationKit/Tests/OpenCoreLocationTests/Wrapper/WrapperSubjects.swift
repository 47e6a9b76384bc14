#if canImport(OpenCombine)
    #if canImport(CoreLocation)
        import Combine
        import CoreLocation
    #else
        import OpenCombine
        @_spi(Programs) import OpenCoreLocation
    #endif

    /// A delegate that forwards its calls to subjects.
    final class SubjectDelegate: NSObject, CLLocationManagerDelegate {
        let authorization = PassthroughSubject<CLAuthorizationStatus, Never>()
        let locations = PassthroughSubject<[CLLocation], Never>()
        let headings = PassthroughSubject<CLHeading, Never>()
        let failures = PassthroughSubject<any Error, Never>()

        func locationManager(_ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus) {
            authorization.send(status)
        }

        func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
            self.locations.send(locations)
        }

        func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading) {
            headings.send(newHeading)
        }

        func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
            failures.send(error)
        }
    }

    /// The pipelines on top of it.
    final class LocationPipeline {
        private let manager = CLLocationManager()
        private let delegate = SubjectDelegate()

        init() {
            manager.delegate = delegate
        }

        func start() { manager.startUpdatingLocation() }
        func stop() { manager.stopUpdatingLocation() }

        var isAuthorized: AnyPublisher<Bool, Never> {
            delegate.authorization
                .map { $0 == .authorizedAlways || $0 == .authorizedWhenInUse }
                .removeDuplicates()
                .eraseToAnyPublisher()
        }

        /// The distance in metres from one location to the next.
        var steps: AnyPublisher<CLLocationDistance, Never> {
            delegate.locations
                .compactMap(\.last)
                .scan((nil, nil) as (CLLocation?, CLLocation?)) { ($0.1, $1) }
                .compactMap { earlier, later in earlier.flatMap { later?.distance(from: $0) } }
                .eraseToAnyPublisher()
        }

        var isDenied: AnyPublisher<Bool, Never> {
            delegate.failures.map { ($0 as? CLError)?.code == .denied }.eraseToAnyPublisher()
        }
    }
#endif
