#if canImport(CoreLocation)
    import CoreLocation
#else
    @_spi(Programs) import OpenCoreLocation
#endif

/// A program's test double, made as a subclass of the manager itself.
class ManagerDouble: CLLocationManager {
    var answer: CLLocation?
    private(set) var requests = 0

    override init() {
        super.init()
    }

    override var location: CLLocation? { answer }
    override var authorizationStatus: CLAuthorizationStatus { .restricted }

    override func requestLocation() {
        requests += 1
        if let answer { delegate?.locationManager(self, didUpdateLocations: [answer]) }
    }

    override class func locationServicesEnabled() -> Bool { true }
}
