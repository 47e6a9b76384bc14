import Foundation
@_spi(Programs) import LocationKit
@_spi(Programs) public import LocationKitTesting
@_spi(Programs) import LocationModel
@_spi(Programs) public import OpenCoreLocation
import Synchronization

/// A location service whose locations, headings, authorization and failures a test controls, for programs of
/// `CLLocationManager`, `CLLocationUpdate`, `CLMonitor` and sessions.
///
/// ```swift
/// let service = FakeLocationService()
/// let weather = service.run { Weather() }     // makes a CLLocationManager
/// weather.begin()
/// #expect(service.isReceiverWanted)
/// service.send(CLLocation(latitude: 48.8584, longitude: 2.2945))
/// ```
///
/// Objects of OpenCoreLocation use the service that is current where they are made: within `run`, this one. Loops over
/// `CLLocationUpdate.liveUpdates()` use the one that is current where that function is called. Everything but the
/// service is real. The service behaves as the daemon does: it delivers nothing that is not wanted or not authorized.
///
/// Delegates are called as in a finished program: on the main queue for a manager made on the main thread, else by the
/// run loop of the thread that made it. So a test awaits the call.
public final class FakeLocationService: Sendable {
    /// The service's receiver, authorization and clock, in LocationKit's terms: for what has no shorter form here, such
    /// as requests that are pending, failures and time.
    public let service: FakeLocationManager
    private let monitors = FakeMonitorList()
    private let backend: LocationBackend

    /// A service that answers and has no location yet. By default the program is authorized for everything.
    public init(
        authorization: CLAuthorizationStatus = .authorizedAlways, accuracy: CLAccuracyAuthorization = .fullAccuracy
    ) {
        let service = FakeLocationManager(
            authorization: AuthorizationStatus(authorization), accuracy: AccuracyAuthorization(accuracy))
        self.service = service
        backend = LocationBackend {
            service.makeManager()
        } status: {
            service.status
        } makeMonitor: { [monitors] name in
            monitors.make(name, service.authorizationStatus)
        }
    }

    /// Runs the body; objects of OpenCoreLocation that it makes use this service for as long as they exist.
    public func run<Value>(_ body: () throws -> Value) rethrows -> Value {
        try LocationBackend.$current.withValue(backend, operation: body)
    }

    /// The same for an asynchronous body, and the tasks that it starts.
    public func run<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        try await LocationBackend.$current.withValue(backend, operation: body)
    }

    // MARK: What the program wants

    /// True while the program requests locations.
    public var isReceiverWanted: Bool { service.isReceiverWanted }
    /// True while the program requests headings.
    public var isCompassWanted: Bool { service.isCompassWanted }

    /// True while a request of the program for authorization is pending.
    public var isAuthorizationRequested: Bool { !service.pendingAuthorizationRequests.isEmpty }
    /// The purpose keys of the pending requests for full accuracy, the oldest first.
    public var pendingFullAccuracyPurposeKeys: [String] { service.pendingFullAccuracyPurposes }

    // MARK: The receiver

    /// The receiver reports a location, with the time of the service's clock. Negative accuracies, speeds and courses
    /// are unknown ones. Invalid coordinates are not sent.
    public func send(_ location: CLLocation) {
        guard var fix = Location(location, at: service.now) else { return }
        fix = service.send(fix)
        for monitor in monitors.all {
            monitor.send(fix)
            monitor.advance(by: 1)
        }
    }

    /// The compass reports a heading, degrees clockwise from magnetic and from true north; `nil` is unknown.
    public func sendHeading(magnetic: CLLocationDirection?, true geographic: CLLocationDirection? = nil) {
        var heading = Heading()
        heading.magneticHeading = magnetic
        heading.trueHeading = geographic
        service.send(heading)
    }

    // MARK: The administrator

    /// Decides whether the program may know the position. It takes effect immediately, and answers pending requests.
    public func authorize(_ authorization: CLAuthorizationStatus) {
        service.authorizationStatus = AuthorizationStatus(authorization)
        for monitor in monitors.all { monitor.authorizationStatus = AuthorizationStatus(authorization) }
    }

    /// Decides how precisely, and answers pending requests for full accuracy.
    public func authorize(_ accuracy: CLAccuracyAuthorization) {
        service.accuracyAuthorization = AccuracyAuthorization(accuracy)
    }

    /// Switches the service off, or on.
    public func setEnabled(_ isEnabled: Bool) {
        if isEnabled { service.enableService() } else { service.disableService() }
        for monitor in monitors.all {
            if isEnabled { monitor.enableService() } else { monitor.disableService() }
        }
    }
}

/// The monitors of the program, in the order of their creation.
private final class FakeMonitorList: Sendable {
    private let made = Mutex<[FakeLocationMonitor]>([])

    var all: [FakeLocationMonitor] { made.withLock { $0 } }

    /// A monitor; one of the same name has what the former one persisted.
    func make(_ name: String?, _ status: AuthorizationStatus) -> FakeLocationMonitor {
        let former = name.flatMap { name in all.last { $0.name == name }?.persistedMonitor }
        let monitor = FakeLocationMonitor(name: name, persisted: former, authorization: status)
        made.withLock { $0.append(monitor) }
        return monitor
    }
}

extension AuthorizationStatus {
    fileprivate init(_ status: CLAuthorizationStatus) {
        switch status {
        case .notDetermined: self = .notDetermined
        case .restricted: self = .restricted
        case .denied: self = .denied
        case .authorizedAlways: self = .authorizedAlways
        case .authorizedWhenInUse: self = .authorizedWhenInUse
        }
    }
}

extension AccuracyAuthorization {
    fileprivate init(_ accuracy: CLAccuracyAuthorization) {
        self = accuracy == .fullAccuracy ? .full : .reduced
    }
}

extension Location {
    /// - Returns: `nil` if the coordinate is invalid.
    fileprivate init?(_ location: CLLocation, at moment: BootInstant) {
        let place = location.coordinate
        guard let coordinate = Coordinate(latitude: place.latitude, longitude: place.longitude) else { return nil }
        let hasAltitude = location.verticalAccuracy > 0
        self.init(
            coordinate: coordinate, mode: hasAltitude ? .threeDimensional : .twoDimensional, monotonicTime: moment,
            source: SourceInformation(name: "fake", method: .simulated))
        func known(_ value: Double) -> Double? { value >= 0 ? value : nil }
        // A location that a program makes of a place alone has the accuracy 0, which no receiver has.
        horizontalAccuracy = location.horizontalAccuracy > 0 ? location.horizontalAccuracy : 5
        if hasAltitude {
            altitude = location.altitude
            verticalAccuracy = location.verticalAccuracy
        }
        speed = known(location.speed)
        speedAccuracy = known(location.speedAccuracy)
        course = known(location.course)
        courseAccuracy = known(location.courseAccuracy)
        timestamp = UTCTime(seconds: 0).advanced(bySeconds: location.timestamp.timeIntervalSince1970)
    }
}
