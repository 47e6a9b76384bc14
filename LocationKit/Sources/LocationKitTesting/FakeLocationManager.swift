@_spi(Programs) public import LocationKit
@_spi(Programs) public import LocationModel
@_spi(Programs) import SystemSupport

/// A location manager whose locations, headings, authorization, failures and time a test controls.
///
/// ```swift
/// let fake = FakeLocationManager()
/// let weather = Weather(location: fake)       // takes any LocationProviding
/// weather.begin()
/// #expect(fake.isReceiverWanted)
/// fake.send(latitude: 48.8584, longitude: 2.2945)
/// #expect(weather.place == "Paris")
/// fake.disconnect()
/// #expect(weather.note == "waiting for the location service")
/// ```
///
/// Everything but the service is the real `LocationManager`, so filters, time-outs and errors are as in the finished
/// program. Each call of the test has delivered its events when it returns, if observers have the default
/// `Delivery.immediate` and no other thread uses the manager meanwhile.
///
/// The fake behaves as the service does: it delivers no event that is not wanted, none twice, and none that the program
/// is not authorized for. A location counts as current for 3 s of the fake's clock: a program that starts to request
/// locations within that time receives it.
public final class FakeLocationManager: Sendable {
    /// The real manager, for code that takes only that.
    public let manager: LocationManager
    let transport: ScriptedTransport
    private let configuration: LocationConfiguration

    /// A manager whose service answers and has no location yet. By default the program is authorized for everything.
    public init(
        authorization: AuthorizationStatus = .authorizedAlways, accuracy: AccuracyAuthorization = .full,
        configuration: LocationConfiguration = LocationConfiguration()
    ) {
        transport = ScriptedTransport(
            now: MachineClock.now, world: ScriptedWorld(authorization: authorization, accuracy: accuracy))
        self.configuration = configuration
        manager = LocationManager(configuration, transport: transport)
    }

    /// Another manager of the same service, receiver and clock.
    @_spi(Programs) public func makeManager() -> LocationManager {
        LocationManager(configuration, transport: transport)
    }

    /// The service's status for the program.
    @_spi(Programs) public var status: ServiceStatus? {
        transport.withState { $0.world.failure == nil ? $0.status : nil }
    }

    // MARK: Time

    /// The fake's clock. It starts with the machine's, and moves by ``advance(by:)``, and by a nanosecond with each
    /// location.
    public var now: BootInstant { transport.now }

    /// Moves the clock forward by so many seconds; time-outs and refreshes that become due happen in their order.
    public func advance(by seconds: Double) {
        transport.advance(by: seconds)
    }

    // MARK: Demand of the program

    /// True while the program requests locations.
    public var isReceiverWanted: Bool { demand != nil }
    /// The filter of the requested locations; `nil` while none are requested.
    public var demand: LocationFilter? { transport.withState { $0.demand } }
    /// True while the program requests headings.
    public var isCompassWanted: Bool {
        transport.withState { $0.clients.values.contains { $0.interest.headings != nil } }
    }
}

/// The receiver.
extension FakeLocationManager {
    /// The receiver reports this location. If its number is 0 it gets the next one. A location that is not newer than
    /// the last is not delivered, and none is while the service is off.
    ///
    /// - Returns: the location with its number.
    @discardableResult
    public func send(_ location: Location) -> Location {
        transport.change { state in
            let location = state.receive(location)
            state.enqueueStatus()
            state.enqueue(.location(location, dropped: 0))
            return location
        }
    }

    /// The receiver reports a location with the time of the fake's clock.
    ///
    /// - Parameters:
    ///   - latitude: degrees north, -90...90.
    ///   - longitude: degrees east, -180...180.
    ///   - horizontalAccuracy: metres.
    ///   - altitude: metres above mean sea level.
    ///   - speed: metres per second.
    ///   - course: degrees clockwise from true north, 0..<360.
    ///   - timestamp: the receiver's UTC.
    /// - Returns: the location; `nil` if the coordinates are invalid, and nothing is sent then.
    @discardableResult
    public func send(
        latitude: Double, longitude: Double, horizontalAccuracy: Double? = 5, altitude: Double? = nil,
        speed: Double? = nil, course: Double? = nil, timestamp: UTCTime? = nil
    ) -> Location? {
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else { return nil }
        var location = Location(
            coordinate: coordinate, mode: altitude == nil ? .twoDimensional : .threeDimensional, monotonicTime: now,
            source: SourceInformation(name: "fake", method: .simulated))
        location.horizontalAccuracy = horizontalAccuracy
        location.altitude = altitude
        location.speed = speed
        location.course = course
        location.timestamp = timestamp
        return send(location)
    }

    /// The compass reports this heading.
    public func send(_ heading: Heading) {
        transport.change { state in
            state.world.headingAvailable = true
            state.enqueueStatus()
            state.enqueue(.heading(heading))
        }
    }

    /// The machine is stationary and has been for as long as updates wait before they pause: if the program lets them
    /// pause automatically, no locations are delivered until ``beginMoving()``.
    public func becomeStationary() {
        transport.change { state in
            state.world.isStationary = true
            state.enqueueStatus()
        }
    }

    /// The machine moves again.
    public func beginMoving() {
        transport.change { state in
            state.world.isStationary = false
            state.enqueueStatus()
        }
    }

    /// The receiver loses its fix, until the next location.
    public func loseFix() {
        transport.change { state in
            state.world.reception = .lost
            state.enqueueStatus()
        }
    }

    /// The receiver cannot be reached, until the next location.
    public func becomeUnavailable(reason: String = "the receiver cannot be reached") {
        transport.change { state in
            state.world.reception = .unavailable(reason: reason)
            state.enqueueStatus()
        }
    }
}

/// The service and the authorization.
extension FakeLocationManager {
    /// Whether the program may know the position. Setting it is the administrator's decision: it takes effect
    /// immediately, and answers all pending requests.
    public var authorizationStatus: AuthorizationStatus {
        get { manager.authorizationStatus }
        set { transport.change { $0.authorize(newValue) } }
    }

    /// How precisely the program may know the position. With reduced accuracy headings are not delivered; locations are
    /// delivered as they are sent.
    public var accuracyAuthorization: AccuracyAuthorization {
        get { manager.accuracyAuthorization }
        set { transport.change { $0.decideAccuracy(newValue) } }
    }

    /// The decision on a request for full accuracy while the accuracy is reduced; `nil` leaves it pending until
    /// ``accuracyAuthorization`` is set.
    public var fullAccuracyAnswer: AccuracyAuthorization? {
        get { transport.withState { $0.fullAccuracyAnswer } }
        set { transport.withState { $0.fullAccuracyAnswer = newValue } }
    }

    /// The purposes of the pending requests for full accuracy, the oldest first.
    public var pendingFullAccuracyPurposes: [String] {
        transport.withState { $0.pendingRequests.compactMap(\.fullAccuracyPurpose) }
    }

    /// The decision on a request for authorization while there is none, and on one for `always` while `whenInUse` is
    /// granted; `nil` leaves the request pending until ``authorizationStatus`` is set.
    public var authorizationAnswer: AuthorizationStatus? {
        get { transport.withState { $0.authorizationAnswer } }
        set { transport.withState { $0.authorizationAnswer = newValue } }
    }

    /// The pending requests for authorization, the oldest first.
    public var pendingAuthorizationRequests: [AuthorizationLevel] {
        transport.withState { $0.pendingRequests.filter { $0.fullAccuracyPurpose == nil }.map(\.level) }
    }

    /// The administrator switches the service off.
    public func disableService() {
        setEnabled(false)
    }

    /// The administrator switches the service on.
    public func enableService() {
        setEnabled(true)
    }

    private func setEnabled(_ isEnabled: Bool) {
        transport.change { state in
            state.world.isEnabled = isEnabled
            state.world.beginReception(at: state.now)
            state.enqueueStatus()
        }
    }

    /// The connection to the service is lost, until ``reconnect()``. Each call is one more failed attempt to connect.
    /// Observers of errors are told when the outage begins and every ten seconds of the fake's clock while it lasts.
    public func disconnect(_ error: LocationError = .disconnected) {
        transport.change { state in
            state.world.failure = error
            state.enqueue(.disconnected(error))
            state.answerPendingRequests()
        }
    }

    /// The service answers again.
    public func reconnect() {
        transport.change { $0.reconnect() }
    }

    /// Causes that error: revokes the authorization, switches the service off, makes the receiver unavailable, or ends
    /// the connection.
    public func fail(_ error: LocationError) {
        switch error {
        case .unauthorized(let status, let reason): transport.change { $0.authorize(status, reason: reason) }
        case .disabled: disableService()
        case .unavailable(let reason, _): becomeUnavailable(reason: reason)
        default: disconnect(error)
        }
    }
}
