#if canImport(CoreLocation)
    import CoreLocation
#else
    @_spi(Programs) import OpenCoreLocation
#endif

/// Reminds of a task at a place: once on arrival, and again after the next departure.
final class GeofenceReminder: NSObject, CLLocationManagerDelegate {
    private let manager = CLLocationManager()
    private var texts: [String: String] = [:]
    private(set) var isArmed: Set<String> = []
    var onReminder: ((String) -> Void)?
    var onFailure: ((String, any Error) -> Void)?

    override init() {
        super.init()
        manager.delegate = self
        manager.requestAlwaysAuthorization()
    }

    var places: [String] { manager.monitoredRegions.map(\.identifier).sorted() }

    func remind(_ text: String, at center: CLLocationCoordinate2D, named name: String) {
        guard CLLocationManager.isMonitoringAvailable(for: CLCircularRegion.self) else { return }
        let radius = min(150, manager.maximumRegionMonitoringDistance)
        let region = CLCircularRegion(center: center, radius: radius, identifier: name)
        region.notifyOnEntry = true
        region.notifyOnExit = true
        texts[name] = text
        manager.startMonitoring(for: region)
    }

    func forget(_ name: String) {
        for region in manager.monitoredRegions where region.identifier == name { manager.stopMonitoring(for: region) }
    }

    func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion) {
        isArmed.insert(region.identifier)
        manager.requestState(for: region)
    }

    func locationManager(_ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion) {
        if state == .inside { remind(of: region) }
    }

    func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
        isArmed.insert(region.identifier)
    }

    func locationManager(
        _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
    ) {
        onFailure?(region?.identifier ?? "", error)
    }

    private func remind(of region: CLRegion) {
        guard isArmed.remove(region.identifier) != nil, let text = texts[region.identifier] else { return }
        onReminder?(text)
    }
}
