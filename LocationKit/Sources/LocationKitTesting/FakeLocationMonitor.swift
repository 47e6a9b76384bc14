@_spi(Programs) public import LocationKit
@_spi(Programs) public import LocationModel
@_spi(Programs) import SystemSupport

/// A monitor whose locations, authorization, failures and time a test controls.
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
/// Everything but the service is the real `LocationMonitor`, and the daemon's own rules decide what a location means
/// for regions, changes and visits. Each call of the test has delivered its events when it returns, if observers have
/// the default `Delivery.immediate` and no other thread uses the monitor meanwhile.
public final class FakeLocationMonitor: Sendable {
    /// The real monitor, for code that takes only that.
    public let monitor: LocationMonitor
    let transport: ScriptedMonitorTransport

    /// A monitor whose service answers and has no location yet. By default the program is authorized.
    ///
    /// - Parameters:
    ///   - name: the name under which the monitor is persisted; `nil` if it is not.
    ///   - regions: what to monitor.
    ///   - significantChange: what counts as a significant change; `nil` reports none.
    ///   - visits: whether visits are reported.
    ///   - persisted: what an earlier program has persisted under the name.
    ///   - authorization: whether the program may know the position.
    ///   - configuration: where handlers run.
    public init(
        name: String? = nil, regions: [Region] = [], significantChange: SignificantChange? = nil, visits: Bool = false,
        persisted: NamedMonitor? = nil, authorization: AuthorizationStatus = .authorizedAlways,
        configuration: LocationConfiguration = LocationConfiguration()
    ) {
        transport = ScriptedMonitorTransport(
            now: MachineClock.now,
            world: ScriptedWorld(authorization: authorization, accuracy: .full), persisted: persisted)
        monitor = LocationMonitor(
            name: name,
            subjects: MonitorSubjects(
                lastOfEach: regions, significantChange: significantChange, visits: visits),
            configuration: configuration, transport: transport)
    }

    // MARK: Time

    /// The fake's clock. It starts with the machine's, and moves by ``advance(by:)``, and by a nanosecond with each
    /// location.
    public var now: BootInstant { transport.withState { $0.now } }

    /// Moves the clock forward by so many seconds, so that the next location is so much later.
    public func advance(by seconds: Double) {
        transport.withState { $0.now = $0.now.advanced(bySeconds: max(0, seconds)) }
    }

    // MARK: Demand of the program

    /// True while the program monitors.
    public var isMonitoringWanted: Bool { transport.withState { $0.interest != nil } }
    /// What is persisted under the name.
    public var persistedMonitor: NamedMonitor? { transport.withState { $0.persisted } }

    // MARK: The receiver

    /// The receiver reports this location.
    public func send(_ location: Location) {
        transport.change { $0.receive(location) }
    }

    /// The receiver reports a location with the time of the fake's clock.
    ///
    /// - Parameters:
    ///   - latitude: degrees north, -90...90.
    ///   - longitude: degrees east, -180...180.
    ///   - horizontalAccuracy: metres.
    ///   - speed: metres per second.
    ///   - timestamp: the receiver's UTC.
    /// - Returns: the location; `nil` if the coordinates are invalid, and nothing is sent then.
    @discardableResult
    public func send(
        latitude: Double, longitude: Double, horizontalAccuracy: Double? = 5, speed: Double? = nil,
        timestamp: UTCTime? = nil
    ) -> Location? {
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else { return nil }
        var location = Location(
            coordinate: coordinate, monotonicTime: now, source: SourceInformation(name: "fake", method: .simulated))
        location.horizontalAccuracy = horizontalAccuracy
        location.speed = speed
        location.timestamp = timestamp
        send(location)
        return location
    }

    // MARK: The service and the authorization

    /// Whether the program may know the position. Setting it is the administrator's decision, which takes effect
    /// immediately.
    public var authorizationStatus: AuthorizationStatus {
        get { transport.withState { $0.world.authorization } }
        set {
            transport.change { state in
                state.world.authorization = newValue
                state.enqueueStatus()
            }
        }
    }

    /// The administrator switches the service off.
    public func disableService() { setEnabled(false) }
    /// The administrator switches the service on.
    public func enableService() { setEnabled(true) }

    private func setEnabled(_ isEnabled: Bool) {
        transport.change { state in
            state.world.isEnabled = isEnabled
            state.enqueueStatus()
        }
    }

    /// The connection to the service is lost, until ``reconnect()``. Each call is one more failed attempt to connect.
    public func disconnect(_ error: LocationError = .disconnected) { transport.change { $0.disconnect(error) } }
    /// The service answers again.
    public func reconnect() { transport.change { $0.reconnect() } }
    /// The administrator removes what is persisted under the monitor's name.
    public func removePersistedMonitor() { transport.change { $0.removePersistedMonitor() } }
    /// The service refuses the last change of the regions, with this error.
    public func refuseChange(_ error: LocationError) { transport.change { $0.enqueue(.refused(error)) } }
}
