#if canImport(CoreLocation)
    import CoreLocation
#else
    @_spi(Programs) import OpenCoreLocation
#endif

/// Records the visits, and the coarse locations between them.
final class VisitLogger: NSObject, CLLocationManagerDelegate {
    struct Entry: Equatable {
        let latitude: Double
        let hasEnded: Bool
    }

    private let manager = CLLocationManager()
    private(set) var entries: [Entry] = []
    private(set) var waypoints = 0

    func start() {
        manager.delegate = self
        manager.startMonitoringVisits()
        if CLLocationManager.significantLocationChangeMonitoringAvailable() {
            manager.startMonitoringSignificantLocationChanges()
        }
    }

    func stop() {
        manager.stopMonitoringVisits()
        manager.stopMonitoringSignificantLocationChanges()
    }

    func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) {
        let hasEnded = visit.departureDate != Date.distantFuture
        entries.append(Entry(latitude: (visit.coordinate.latitude * 100).rounded() / 100, hasEnded: hasEnded))
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        waypoints += locations.count
    }
}
