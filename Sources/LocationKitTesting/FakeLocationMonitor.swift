public import LocationKit
public import LocationModel
import SystemClock

/// A monitor whose locations, authorization, failures and time a test makes up.
///
/// ```swift
/// let fake = FakeLocationMonitor(regions: [home])
/// let reminder = Reminder(monitor: fake)      // takes any MonitorProviding
/// reminder.begin()
/// fake.send(latitude: 48.9, longitude: 2.2945)
/// fake.send(latitude: 48.8584, longitude: 2.2945)
/// #expect(reminder.notes == ["you are home"])
/// ```
///
/// All but the service is the real `LocationMonitor`, and what a location means to regions, changes and visits is decided by
/// the daemon's own rules. What a call of the test causes is told before the call returns, where observers have the usual
/// `Delivery.immediate` and no other thread uses the monitor meanwhile.
public final class FakeLocationMonitor: Sendable {
    /// The monitor itself, for code that takes no other.
    public let monitor: LocationMonitor
    let service: ScriptedMonitorService

    /// A monitor whose service answers, knows no location yet, and allows everything unless said otherwise.
    ///
    /// - Parameters:
    ///   - name: under which it is kept; `nil` if it is not.
    ///   - regions: what to monitor.
    ///   - significantChange: what counts as one; `nil` tells none.
    ///   - visits: whether visits are told.
    ///   - kept: what an earlier program left under the name.
    ///   - authorization: whether the program may know the position.
    ///   - configuration: where handlers run.
    public init(
        name: String? = nil, regions: [Region] = [], significantChange: SignificantChange? = nil, visits: Bool = false,
        kept: NamedMonitor? = nil, authorization: AuthorizationStatus = .authorizedAlways,
        configuration: LocationConfiguration = LocationConfiguration()
    ) {
        service = ScriptedMonitorService(
            now: MachineClock.now,
            world: ScriptedWorld(authorization: authorization, accuracy: .full), kept: kept)
        monitor = LocationMonitor(
            name: name,
            subjects: MonitorSubjects(
                lastOfEach: regions, significantChange: significantChange, visits: visits),
            configuration: configuration, service: service)
    }

    // MARK: Time

    /// The fake's clock. It begins with the machine's, and moves by ``advance(by:)``, and a nanosecond with each location.
    public var now: BootInstant { service.withState { $0.now } }

    /// Moves the clock so many seconds on, so that the next location is so much later.
    public func advance(by seconds: Double) {
        service.withState { $0.now = $0.now.advanced(bySeconds: max(0, seconds)) }
    }

    // MARK: What the program asks for

    /// True while the program monitors.
    public var isMonitoringWanted: Bool { service.withState { $0.wish != nil } }
    /// What the service keeps under the name.
    public var kept: NamedMonitor? { service.withState { $0.kept } }

    // MARK: What the receiver has to say

    /// A location comes, as it is.
    public func send(_ location: Location) {
        service.change { $0.take(location) }
    }

    /// A location comes, made up at this moment of the fake's clock.
    ///
    /// - Parameters:
    ///   - latitude: degrees north, -90...90.
    ///   - longitude: degrees east, -180...180.
    ///   - horizontalAccuracy: metres.
    ///   - speed: metres per second.
    ///   - timestamp: the receiver's UTC.
    /// - Returns: the location; `nil` if there is no such place, and nothing is sent then.
    @discardableResult
    public func send(
        latitude: Double, longitude: Double, horizontalAccuracy: Double? = 5, speed: Double? = nil,
        timestamp: UTCTime? = nil
    ) -> Location? {
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else { return nil }
        var location = Location(
            coordinate: coordinate, monotonicTime: now, source: SourceInformation(name: "fake", isSimulated: true))
        location.horizontalAccuracy = horizontalAccuracy
        location.speed = speed
        location.timestamp = timestamp
        send(location)
        return location
    }

    // MARK: What happens to the service, and who may know

    /// Whether the program may know the position. Setting it is the administrator's decision, which holds at once.
    public var authorizationStatus: AuthorizationStatus {
        get { service.withState { $0.world.authorization } }
        set {
            service.change { state in
                state.world.authorization = newValue
                state.announce()
            }
        }
    }

    /// The administrator switches the service off.
    public func disableService() { setEnabled(false) }
    /// The administrator switches the service on.
    public func enableService() { setEnabled(true) }

    private func setEnabled(_ isEnabled: Bool) {
        service.change { state in
            state.world.isEnabled = isEnabled
            state.announce()
        }
    }

    /// The connection to the service is lost, until ``reconnect()``. Each call is one more try that failed.
    public func disconnect(_ error: LocationError = .disconnected) { service.change { $0.disconnect(error) } }
    /// The service answers again.
    public func reconnect() { service.change { $0.reconnect() } }
    /// The administrator has the service forget what it keeps under the monitor's name.
    public func removeKept() { service.change { $0.forgetKept() } }
    /// The service refuses the last change of the regions, with this error.
    public func refuseChange(_ error: LocationError) { service.change { $0.tell(.refused(error)) } }
}
