#if canImport(CoreLocation)
    import CoreLocation
#else
    @_spi(Programs) import OpenCoreLocation
#endif

protocol LocationHubObserver: AnyObject {
    func hub(_ hub: LocationHub, didMoveTo location: CLLocation)
    func hubDidLosePermission(_ hub: LocationHub)
}

/// One manager for a whole program; it runs while there are observers.
final class LocationHub: NSObject {
    @MainActor static let shared = LocationHub()

    private struct Entry {
        weak var observer: (any LocationHubObserver)?
    }

    private lazy var manager: CLLocationManager = {
        let manager = CLLocationManager()
        manager.delegate = self
        manager.distanceFilter = 10
        manager.activityType = .fitness
        return manager
    }()
    private var entries: [Entry] = []

    var lastLocation: CLLocation? { manager.location }

    func add(_ observer: any LocationHubObserver) {
        guard !entries.contains(where: { $0.observer === observer }) else { return }
        entries.append(Entry(observer: observer))
        if entries.count == 1 { manager.startUpdatingLocation() }
    }

    func remove(_ observer: any LocationHubObserver) {
        entries.removeAll { $0.observer == nil || $0.observer === observer }
        if entries.isEmpty { manager.stopUpdatingLocation() }
    }
}

extension LocationHub: CLLocationManagerDelegate {
    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        for location in locations {
            entries.forEach { $0.observer?.hub(self, didMoveTo: location) }
        }
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        guard case CLError.denied = error else { return }
        entries.forEach { $0.observer?.hubDidLosePermission(self) }
    }
}
