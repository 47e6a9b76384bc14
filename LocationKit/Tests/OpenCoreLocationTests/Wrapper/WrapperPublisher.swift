#if canImport(OpenCombine)
    #if canImport(CoreLocation)
        import Combine
        import CoreLocation
    #else
        import OpenCombine
        @_spi(Programs) import OpenCoreLocation
    #endif

    /// An object that a view observes.
    @MainActor
    final class ObservableLocation: NSObject, ObservableObject {
        @Published var location: CLLocation?
        @Published var coordinateText = "–"
        @Published var status: CLAuthorizationStatus
        @Published var errorText: String?

        private let manager = CLLocationManager()

        override init() {
            status = manager.authorizationStatus
            super.init()
            manager.delegate = self
            manager.desiredAccuracy = kCLLocationAccuracyHundredMeters
            manager.requestWhenInUseAuthorization()
            manager.startUpdatingLocation()
        }
    }

    extension ObservableLocation: @preconcurrency CLLocationManagerDelegate {
        func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
            status = manager.authorizationStatus
        }

        func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
            guard let last = locations.last else { return }
            location = last
            coordinateText = String(format: "%.3f, %.3f", last.coordinate.latitude, last.coordinate.longitude)
            errorText = nil
        }

        func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
            errorText = error.localizedDescription
        }
    }
#endif
