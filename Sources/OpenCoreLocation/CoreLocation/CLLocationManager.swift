public import Foundation
import LocationKit
import LocationModel
import Synchronization

/// Tells its delegate where this machine is.
///
/// The delegate is called on the thread that makes the manager: by its run loop, or by the main queue if it is the main
/// thread, which `RunLoop.main.run()`, `dispatchMain()` and an asynchronous `main` all serve.
///
/// The service may be stopped and started while a manager is used; updating then goes on by itself.
open class CLLocationManager: NSObject {
    private let provider: any LocationProviding
    private let mailbox = DelegateMailbox()
    private let observers: ManagerObservers
    private let request = LocationRequestTask()
    private let authorizationRetry = AuthorizationRequestRetry()
    private let settings = Mutex(CLLocationManagerSettings())
    private let monitoring: ManagerMonitoring

    /// A manager of this machine's location.
    public override init() {
        provider = LocationBackend.current.makeProvider()
        monitoring = ManagerMonitoring(LocationBackend.current, into: mailbox)
        observers = ManagerObservers(
            of: provider, into: mailbox, request: request, authorizationRetry: authorizationRetry)
        super.init()
        mailbox.parties.manager = self
        observers.observeUpdates(of: provider)
    }

    deinit {
        request.cancel()
        observers.remove(from: provider)
        provider.stopUpdating()
        provider.stopUpdatingHeading()
    }

    /// Who is told; not kept alive. It is told the authorization soon after it is set.
    open var delegate: (any CLLocationManagerDelegate)? {
        get { mailbox.parties.delegate }
        set {
            mailbox.parties.delegate = newValue
            mailbox.update { $0.changeDelegate() }
            guard newValue != nil else { return }
            observers.observeAuthorization(of: provider)
            monitoring.resume()
        }
    }

    // MARK: What is known

    /// The last location told to this program.
    open var location: CLLocation? {
        let known = [provider.location, mailbox.read(\.change)].compactMap(\.self)
        return known.max { $0.monotonicTime < $1.monotonicTime }.map { CLLocation($0) }
    }

    /// The last heading told to this program.
    open var heading: CLHeading? { provider.heading.map(makeHeading) }

    /// Whether this program may know the position; `notDetermined` also while the service cannot be asked.
    open var authorizationStatus: CLAuthorizationStatus {
        switch mailbox.read(\.authorization) {
        case .notDetermined, nil: CLAuthorizationStatus(provider.authorizationStatus)
        // What was told holds until something else is, also while the service is away.
        case let told?: CLAuthorizationStatus(told)
        }
    }

    /// How precisely this program may know it; `fullAccuracy` while the service cannot be asked.
    open var accuracyAuthorization: CLAccuracyAuthorization { CLAccuracyAuthorization(provider.accuracyAuthorization) }

    /// False: there are no widgets.
    open var isAuthorizedForWidgetUpdates: Bool { false }

    // MARK: What is wanted

    /// How exactly the program would like to know, metres. No location is held back because of it;
    /// ``requestLocation()`` waits for it.
    open var desiredAccuracy: CLLocationAccuracy {
        get { settings.withLock { $0.desiredAccuracy } }
        set {
            settings.withLock { $0.desiredAccuracy = newValue }
            provider.desiredAccuracy = newValue.isFinite && newValue > 0 ? newValue : nil
        }
    }

    /// Metres the position must have moved since the last location told; `kCLDistanceFilterNone` for every location.
    open var distanceFilter: CLLocationDistance {
        get { settings.withLock { $0.distanceFilter } }
        set {
            settings.withLock { $0.distanceFilter = newValue }
            provider.distanceFilter = newValue.isFinite && newValue > 0 ? newValue : nil
        }
    }

    /// Degrees the heading must have turned since the last one told, 1 unless set; `kCLHeadingFilterNone` for every
    /// heading.
    open var headingFilter: CLLocationDegrees {
        get { settings.withLock { $0.headingFilter } }
        set {
            settings.withLock { $0.headingFilter = newValue }
            mailbox.update { $0.headingFilter.degrees = newValue }
        }
    }

    /// How the device is held: headings are those of what points up then. Lying flat, or not known, is as `portrait`.
    open var headingOrientation: CLDeviceOrientation {
        get { settings.withLock { $0.headingOrientation } }
        set { settings.withLock { $0.headingOrientation = newValue } }
    }

    /// What the program uses the position for. It changes nothing: no location is held back because of it.
    open var activityType: CLActivityType {
        get { settings.withLock { $0.activityType } }
        set { settings.withLock { $0.activityType = newValue } }
    }

    /// It changes nothing: updating does not pause.
    open var pausesLocationUpdatesAutomatically: Bool {
        get { settings.withLock { $0.pausesLocationUpdatesAutomatically } }
        set { settings.withLock { $0.pausesLocationUpdatesAutomatically = newValue } }
    }

    /// It changes nothing: whether a program may know the position while its user has no session is the authorization's
    /// matter.
    open var allowsBackgroundLocationUpdates: Bool {
        get { settings.withLock { $0.allowsBackgroundLocationUpdates } }
        set { settings.withLock { $0.allowsBackgroundLocationUpdates = newValue } }
    }

    /// It changes nothing: `locctl clients` shows who knows the position.
    open var showsBackgroundLocationIndicator: Bool {
        get { settings.withLock { $0.showsBackgroundLocationIndicator } }
        set { settings.withLock { $0.showsBackgroundLocationIndicator = newValue } }
    }

    // MARK: Updates

    /// Tells locations until ``stopUpdatingLocation()``; ends a request.
    open func startUpdatingLocation() {
        mailbox.update { $0.startUpdating() }
        request.cancel()
        provider.startUpdating()
    }

    /// Ends what ``startUpdatingLocation()`` or ``requestLocation()`` began; no location is told any more.
    open func stopUpdatingLocation() {
        mailbox.update { $0.stopUpdating() }
        request.cancel()
        provider.stopUpdating()
    }

    /// Tells one location, or why there is none; does nothing while locations are told anyway.
    ///
    /// It waits for one of the ``desiredAccuracy``, after 30 s for the best that came, and tells `locationUnknown` if
    /// there is none. While nobody has decided whether this program may know, it waits for the decision.
    open func requestLocation() {
        guard let number = mailbox.update({ $0.startRequest() }) else { return }
        request.start(number, of: provider, into: mailbox)
    }

    /// Tells headings until ``stopUpdatingHeading()``.
    open func startUpdatingHeading() {
        mailbox.update { $0.startUpdatingHeading() }
        provider.startUpdatingHeading()
    }

    /// Ends what ``startUpdatingHeading()`` began.
    open func stopUpdatingHeading() {
        mailbox.update { $0.stopUpdatingHeading() }
        provider.stopUpdatingHeading()
    }

    /// Does nothing: none is displayed.
    open func dismissHeadingCalibrationDisplay() {}

    // MARK: Authorization

    /// Asks to know the position while the user has a session on this machine; the delegate is told the decision.
    open func requestWhenInUseAuthorization() {
        authorizationRetry.request(.whenInUse, from: provider)
    }

    /// Asks to know the position at any time; the delegate is told the decision.
    open func requestAlwaysAuthorization() {
        authorizationRetry.request(.always, from: provider)
    }

    /// Nobody can be asked for this: only the administrator's policy grants full accuracy.
    ///
    /// - Parameters:
    ///   - purposeKey: is not used.
    ///   - completion: is called on the manager's thread, with nothing if the accuracy is full already, else with
    ///     `promptDeclined`.
    @preconcurrency
    open func requestTemporaryFullAccuracyAuthorization(
        withPurposeKey purposeKey: String, completion: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        guard let completion else { return }
        let isFull = accuracyAuthorization == .fullAccuracy
        mailbox.update { $0.add { _, _ in completion(isFull ? nil : CLError(.promptDeclined)) } }
    }

    /// The same, awaited.
    ///
    /// - Throws: `promptDeclined`, unless the accuracy is full already.
    open func requestTemporaryFullAccuracyAuthorization(withPurposeKey purposeKey: String) async throws {
        guard accuracyAuthorization == .fullAccuracy else { throw CLError(.promptDeclined) }
    }

    // MARK: Regions, visits and significant changes

    /// Tells the delegate when the circle is entered and left, as the region wants it, until ``stopMonitoring(for:)``.
    ///
    /// The regions are the program's: every manager's delegate is told of each, and they are kept over restarts under the
    /// program's name. What is no ``CLCircularRegion`` is told `regionMonitoringFailure`.
    open func startMonitoring(for region: CLRegion) { monitoring.start(region) }

    /// Ends what ``startMonitoring(for:)`` began for the region of this identifier; nothing is told of it any more.
    open func stopMonitoring(for region: CLRegion) { monitoring.stop(region) }

    /// Tells the delegate the state of a monitored region, as soon as a fix decides it; of others, `unknown` at once.
    open func requestState(for region: CLRegion) { monitoring.requestState(region) }

    /// The regions that this program monitors, those included that an earlier run began to.
    ///
    /// Before the service has told them it is asked, for a quarter of a second at most.
    open var monitoredRegions: Set<CLRegion> { monitoring.monitoredRegions }

    /// The longest radius, metres: 10,000 km.
    open var maximumRegionMonitoringDistance: CLLocationDistance { RegionCircle.radiusRange.upperBound }

    /// Tells the delegate a location whenever the machine has moved by 500 m, with the receiver off for most of the time.
    open func startMonitoringSignificantLocationChanges() { monitoring.setChanges(true) }

    /// Ends what ``startMonitoringSignificantLocationChanges()`` began.
    open func stopMonitoringSignificantLocationChanges() { monitoring.setChanges(false) }

    /// Tells the delegate where the machine stays, when that begins and when it has ended.
    open func startMonitoringVisits() { monitoring.setVisits(true) }

    /// Ends what ``startMonitoringVisits()`` began.
    open func stopMonitoringVisits() { monitoring.setVisits(false) }

    // MARK: What there is

    /// Whether this program may know the position; asks the service and waits for it, a quarter of a second at most.
    /// `notDetermined` if it does not answer.
    open class func authorizationStatus() -> CLAuthorizationStatus {
        LocationBackend.current.status().map { CLAuthorizationStatus($0.authorization) } ?? .notDetermined
    }

    /// False while the administrator has switched the service off, and while it does not answer, which is waited for a
    /// quarter of a second at most.
    open class func locationServicesEnabled() -> Bool {
        LocationBackend.current.status()?.enabled ?? false
    }

    /// True if a compass reports; waits for the answer a quarter of a second at most.
    open class func headingAvailable() -> Bool {
        LocationBackend.current.status()?.headingAvailable ?? false
    }

    /// True.
    open class func significantLocationChangeMonitoringAvailable() -> Bool { true }

    /// True for ``CLCircularRegion`` and what inherits from it.
    open class func isMonitoringAvailable(for regionClass: AnyClass) -> Bool { regionClass is CLCircularRegion.Type }

    /// False.
    open class func isRangingAvailable() -> Bool { false }

    /// False.
    open class func deferredLocationUpdatesAvailable() -> Bool { false }
}

extension CLLocationManager {
    /// Makes a call, on the manager's thread.
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
