@_spi(Programs) import OpenCoreLocation

/// Records its calls; it implements the modern form of the authorization call only.
final class RecordingDelegate: NSObject, CLLocationManagerDelegate {
    enum Call: Equatable {
        case authorization(CLAuthorizationStatus)
        case locations([Double])
        case heading(Double)
        case failure(CLError.Code?)
        case region(String, CLError.Code?)
        case state(String, CLRegionState)
        case begun(String)
        case entered(String)
        case left(String)
        case visit(latitude: Double, hasEnded: Bool)
        case pause
        case resume
    }

    private(set) var calls: [Call] = []
    private(set) var messages: [String] = []
    /// Runs after each call was recorded.
    var reaction: ((CLLocationManager, Call) -> Void)?

    func forget() {
        calls = []
    }

    private func remember(_ call: Call, _ manager: CLLocationManager) {
        calls.append(call)
        reaction?(manager, call)
    }

    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        remember(.authorization(manager.authorizationStatus), manager)
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        remember(.locations(locations.map(\.coordinate.latitude)), manager)
    }

    func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading) {
        remember(.heading(newHeading.magneticHeading), manager)
    }

    func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager) {
        remember(.pause, manager)
    }

    func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager) {
        remember(.resume, manager)
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        messages.append(error.localizedDescription)
        remember(.failure((error as? CLError)?.code), manager)
    }

    func locationManager(
        _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
    ) {
        remember(.region(region?.identifier ?? "", (error as? CLError)?.code), manager)
    }

    func locationManager(_ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion) {
        remember(.state(region.identifier, state), manager)
    }

    func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion) {
        remember(.begun(region.identifier), manager)
    }

    func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
        remember(.entered(region.identifier), manager)
    }

    func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
        remember(.left(region.identifier), manager)
    }

    func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) {
        let hasEnded = visit.departureDate != .distantFuture
        remember(.visit(latitude: visit.coordinate.latitude, hasEnded: hasEnded), manager)
    }
}
