// Three locations, told to a delegate: the same source on Apple's systems and here.
import Foundation

#if canImport(CoreLocation)
    import CoreLocation
#else
    import OpenCoreLocation
#endif

final class Tracker: NSObject, CLLocationManagerDelegate {
    private let manager = CLLocationManager()
    private var missing = 3

    func start() {
        manager.delegate = self
        manager.desiredAccuracy = kCLLocationAccuracyBest
        manager.requestWhenInUseAuthorization()
    }

    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        switch manager.authorizationStatus {
        case .authorizedAlways, .authorizedWhenInUse: manager.startUpdatingLocation()
        case .notDetermined: print("waiting for a decision")
        default: print("not authorized")
        }
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        for location in locations {
            print(location.coordinate.latitude, location.coordinate.longitude, "±\(location.horizontalAccuracy) m")
            missing -= 1
        }
        if missing <= 0 { exit(0) }
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        print("no location:", error.localizedDescription)
    }
}

let tracker = Tracker()
tracker.start()
RunLoop.main.run()
