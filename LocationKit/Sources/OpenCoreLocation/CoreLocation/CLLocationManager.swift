public import Foundation
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import Synchronization

/// Delivers this machine's location to its delegate.
///
/// The delegate is called on the thread that makes the manager: by its run loop, or by the main queue if it is the main
/// thread. `RunLoop.main.run()`, `dispatchMain()` and an asynchronous `main` all serve the main queue.
///
/// The service may be restarted while a manager is used; updating then resumes by itself.
open class CLLocationManager: NSObject {
    private let provider: any LocationProviding
    private let mailbox = DelegateMailbox()
    private let observers: ManagerObservers
    private let request = LocationRequestTask()
    private let authorizationRetry = AuthorizationRequestRetry()
    private let settings = Mutex(CLLocationManagerSettings())
    private let monitoring: ManagerMonitoring

    /// A manager for this machine's location.
    public override init() {
        provider = LocationBackend.current.makeProvider()
        monitoring = ManagerMonitoring(LocationBackend.current, into: mailbox)
        observers = ManagerObservers(
            of: provider, into: mailbox, request: request, authorizationRetry: authorizationRetry)
        super.init()
        mailbox.references.manager = self
        observers.observeUpdates(of: provider)
    }

    deinit {
        request.cancel()
        observers.remove(from: provider)
        provider.stopUpdating()
        provider.stopUpdatingHeading()
    }

    /// The delegate, which is not retained. It receives the authorization soon after it is set.
    open var delegate: (any CLLocationManagerDelegate)? {
        get { mailbox.references.delegate }
        set {
            mailbox.references.delegate = newValue
            mailbox.update { $0.changeDelegate() }
            guard newValue != nil else { return }
            observers.observeAuthorization(of: provider)
            monitoring.resume()
        }
    }

    // MARK: Current values

    /// The last location that this program received.
    open var location: CLLocation? {
        let known = [provider.location, mailbox.read(\.change)].compactMap(\.self)
        return known.max { $0.monotonicTime < $1.monotonicTime }.map { CLLocation($0) }
    }

    /// The last heading that this program received.
    open var heading: CLHeading? { provider.heading.map(makeHeading) }

    /// Whether this program may know the position; `notDetermined` also while the service cannot be reached.
    open var authorizationStatus: CLAuthorizationStatus {
        switch mailbox.read(\.authorization) {
        case .notDetermined, nil: CLAuthorizationStatus(provider.authorizationStatus)
        // The last delivered status stays valid until the next one, also while the service cannot be reached.
        case let status?: CLAuthorizationStatus(status)
        }
    }

    /// How precisely this program may know the position; `fullAccuracy` while the service cannot be reached.
    open var accuracyAuthorization: CLAccuracyAuthorization { CLAccuracyAuthorization(provider.accuracyAuthorization) }

    /// False: there are no widgets.
    open var isAuthorizedForWidgetUpdates: Bool { false }

    // MARK: Settings

    /// The accuracy that the program would like, metres. While the source in use is less accurate, the service tries
    /// the others that are configured. No location is held back because of it; ``requestLocation()`` waits for it.
    open var desiredAccuracy: CLLocationAccuracy {
        get { settings.withLock { $0.desiredAccuracy } }
        set {
            settings.withLock { $0.desiredAccuracy = newValue }
            provider.desiredAccuracy = newValue.isFinite && newValue > 0 ? newValue : nil
        }
    }

    /// Metres that the position must have moved since the last delivered location; `kCLDistanceFilterNone` for every
    /// location.
    open var distanceFilter: CLLocationDistance {
        get { settings.withLock { $0.distanceFilter } }
        set {
            settings.withLock { $0.distanceFilter = newValue }
            applyFilters()
        }
    }

    /// Degrees that the heading must have turned since the last delivered one, by default 1; `kCLHeadingFilterNone` for
    /// every heading.
    open var headingFilter: CLLocationDegrees {
        get { settings.withLock { $0.headingFilter } }
        set {
            settings.withLock { $0.headingFilter = newValue }
            mailbox.update { $0.headingFilter.degrees = newValue }
            provider.headingFilter = newValue > 0 ? newValue : nil
        }
    }

    /// The orientation of the device: headings are those of the direction that points up. Flat, or unknown, counts as
    /// `portrait`.
    open var headingOrientation: CLDeviceOrientation {
        get { settings.withLock { $0.headingOrientation } }
        set { settings.withLock { $0.headingOrientation = newValue } }
    }

    /// What the program uses the position for: updating pauses after the machine has been stationary for a minute
    /// (`fitness`), two (`other`) or five. No location is held back because of it.
    open var activityType: CLActivityType {
        get { settings.withLock { $0.activityType } }
        set {
            settings.withLock { $0.activityType = newValue }
            provider.activityType = newValue.activityType
            applyFilters()
        }
    }

    /// Whether updating pauses while the machine is stationary, which the delegate is told. The receivers are then only
    /// started now and then, every five minutes unless configured otherwise, to see whether the machine moves; updating
    /// resumes by itself. By default false: the beginning of a trip is lost by it.
    open var pausesLocationUpdatesAutomatically: Bool {
        get { settings.withLock { $0.pausesLocationUpdatesAutomatically } }
        set {
            settings.withLock { $0.pausesLocationUpdatesAutomatically = newValue }
            provider.pausesAutomatically = newValue
        }
    }

    /// Whether locations are estimates in place of fixes, as CoreLocation's are: held while the machine stands, and
    /// predicted for at most ten seconds without a fix. By default false: each location is one that a receiver has
    /// measured. Not a member of CoreLocation's.
    open var deliversEstimates: Bool {
        get { provider.estimate }
        set { provider.estimate = newValue }
    }

    /// The activity has no filters here, as it has in LocationKit.
    private func applyFilters() {
        let (distance, activity) = settings.withLock { ($0.distanceFilter, $0.activityType) }
        let none: Double? = activity == .other ? nil : 0
        provider.distanceFilter = distance.isFinite && distance > 0 ? distance : none
        provider.minimumInterval = none
    }

    /// It has no effect: the authorization decides whether a program may know the position while its user has no
    /// session.
    open var allowsBackgroundLocationUpdates: Bool {
        get { settings.withLock { $0.allowsBackgroundLocationUpdates } }
        set { settings.withLock { $0.allowsBackgroundLocationUpdates = newValue } }
    }

    /// It has no effect: `locctl clients` shows the programs that know the position.
    open var showsBackgroundLocationIndicator: Bool {
        get { settings.withLock { $0.showsBackgroundLocationIndicator } }
        set { settings.withLock { $0.showsBackgroundLocationIndicator = newValue } }
    }

    // MARK: Updates

    /// Delivers locations until ``stopUpdatingLocation()``; ends a pending request.
    open func startUpdatingLocation() {
        mailbox.update { $0.startUpdating() }
        request.cancel()
        provider.startUpdating()
    }

    /// Ends ``startUpdatingLocation()`` and ``requestLocation()``; no further location is delivered.
    open func stopUpdatingLocation() {
        mailbox.update { $0.stopUpdating() }
        request.cancel()
        provider.stopUpdating()
    }

    /// Delivers one location, or a failure; does nothing while locations are being delivered.
    ///
    /// It waits for a location of the ``desiredAccuracy``; after 30 s it delivers the best one received, or the failure
    /// `locationUnknown`. While there is no decision about the authorization, it waits for that.
    open func requestLocation() {
        guard let number = mailbox.update({ $0.startRequest() }) else { return }
        request.start(number, of: provider, into: mailbox)
    }

    /// Delivers headings until ``stopUpdatingHeading()``.
    open func startUpdatingHeading() {
        mailbox.update { $0.startUpdatingHeading() }
        let filter = headingFilter
        provider.headingFilter = filter > 0 ? filter : nil
        provider.startUpdatingHeading()
    }

    /// Ends ``startUpdatingHeading()``.
    open func stopUpdatingHeading() {
        mailbox.update { $0.stopUpdatingHeading() }
        provider.stopUpdatingHeading()
    }

    /// Does nothing: no calibration is displayed.
    open func dismissHeadingCalibrationDisplay() {}

    // MARK: Authorization

    /// Requests the position while the user has a session on this machine; the delegate receives the decision.
    open func requestWhenInUseAuthorization() {
        authorizationRetry.request(.whenInUse, from: provider)
    }

    /// Requests the position at any time; the delegate receives the decision.
    open func requestAlwaysAuthorization() {
        authorizationRetry.request(.always, from: provider)
    }

    /// Requests full accuracy. An administrator decides, and for how long; the delegate receives the change, and the
    /// one at the end.
    ///
    /// - Parameters:
    ///   - purposeKey: the purpose, shown to the administrator as it is: there is no Info.plist with a text for it. At
    ///     most 256 bytes.
    ///   - completion: is called on the manager's thread once it is decided: without an error if the accuracy is full,
    ///     with `promptDeclined` if it stays reduced, or is reduced by the policy, with `denied` if this program may
    ///     not know the position at all.
    @preconcurrency
    open func requestTemporaryFullAccuracyAuthorization(
        withPurposeKey purposeKey: String, completion: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        let mailbox = mailbox
        @Sendable func complete(_ error: CLError?) {
            if let completion { mailbox.update { $0.add { _, _ in completion(error) } } }
        }
        guard isAuthorized else { return complete(CLError(.denied)) }
        provider.requestFullAccuracy(purpose: purposeKey) { complete(CLError(fullAccuracy: $0)) }
    }

    /// The same as an asynchronous function.
    ///
    /// - Throws: `promptDeclined` if the accuracy stays reduced; `denied` if this program may not know the position.
    open func requestTemporaryFullAccuracyAuthorization(withPurposeKey purposeKey: String) async throws {
        guard isAuthorized else { throw CLError(.denied) }
        let result: Result<Bool, LocationError>
        do throws(LocationError) {
            result = .success(try await provider.requestFullAccuracy(purpose: purposeKey))
        } catch {
            result = .failure(error)
        }
        if let error = CLError(fullAccuracy: result) { throw error }
    }

    private var isAuthorized: Bool {
        authorizationStatus == .authorizedAlways || authorizationStatus == .authorizedWhenInUse
    }

    // MARK: Regions, visits and significant changes

    /// Reports to the delegate when the circle is entered and left, as the region specifies, until
    /// ``stopMonitoring(for:)``.
    ///
    /// Regions belong to the program: every manager's delegate receives their events, and they are persisted under the
    /// program's name. For a region that is not a ``CLCircularRegion`` the delegate receives `regionMonitoringFailure`.
    open func startMonitoring(for region: CLRegion) { monitoring.start(region) }

    /// Ends the monitoring of the region with this identifier; no further event of it is delivered.
    open func stopMonitoring(for region: CLRegion) { monitoring.stop(region) }

    /// Delivers the state of a monitored region as soon as a fix decides it; for other regions `unknown` immediately.
    open func requestState(for region: CLRegion) { monitoring.requestState(region) }

    /// The regions that this program monitors, including those that an earlier run began to monitor.
    ///
    /// If they are not loaded yet, this blocks for at most a quarter of a second to ask the service.
    open var monitoredRegions: Set<CLRegion> { monitoring.monitoredRegions }

    /// The longest radius, metres: 10,000 km.
    open var maximumRegionMonitoringDistance: CLLocationDistance { RegionCircle.radiusRange.upperBound }

    /// Delivers a location whenever the machine has moved by 500 m, with the receiver off most of the time.
    open func startMonitoringSignificantLocationChanges() { monitoring.setChanges(true) }

    /// Ends ``startMonitoringSignificantLocationChanges()``.
    open func stopMonitoringSignificantLocationChanges() { monitoring.setChanges(false) }

    /// Reports visits to the delegate, when they begin and when they have ended.
    open func startMonitoringVisits() { monitoring.setVisits(true) }

    /// Ends ``startMonitoringVisits()``.
    open func stopMonitoringVisits() { monitoring.setVisits(false) }

    // MARK: Availability

    /// Whether this program may know the position. Blocks for at most a quarter of a second to ask the service;
    /// `notDetermined` if it does not answer.
    open class func authorizationStatus() -> CLAuthorizationStatus {
        LocationBackend.current.status().map { CLAuthorizationStatus($0.authorization) } ?? .notDetermined
    }

    /// False while the service is switched off, and if it does not answer. Blocks for at most a quarter of a second.
    open class func locationServicesEnabled() -> Bool {
        LocationBackend.current.status()?.enabled ?? false
    }

    /// True if a compass reports. Blocks for at most a quarter of a second.
    open class func headingAvailable() -> Bool {
        LocationBackend.current.status()?.headingAvailable ?? false
    }

    /// True.
    open class func significantLocationChangeMonitoringAvailable() -> Bool { true }

    /// True for ``CLCircularRegion`` and its subclasses.
    open class func isMonitoringAvailable(for regionClass: AnyClass) -> Bool { regionClass is CLCircularRegion.Type }

    /// False.
    open class func isRangingAvailable() -> Bool { false }

    /// False.
    open class func deferredLocationUpdatesAvailable() -> Bool { false }
}

extension CLLocationManager {
    /// Performs a call, on the manager's thread.
    func make(_ call: DelegateCall, to delegate: (any CLLocationManagerDelegate)?) {
        switch call {
        case .authorization: delegate?.locationManagerDidChangeAuthorization(self)
        case .locations(let locations):
            delegate?.locationManager(self, didUpdateLocations: locations.map { CLLocation($0) })
        case .heading(let heading): delegate?.locationManager(self, didUpdateHeading: makeHeading(heading))
        case .failure(let error): delegate?.locationManager(self, didFailWithError: CLError(error))
        case .other(let call): call(self, delegate)
        }
    }

    private func makeHeading(_ heading: Heading) -> CLHeading {
        CLHeading(heading.seen(by: headingOrientation), variation: provider.location?.magneticVariation)
    }
}
