public import LocationKit
public import LocationModel
import Machine

/// A location manager whose locations, headings, authorization, failures and time a test makes up.
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
/// All but the service is the real `LocationManager`, so filters, time-outs and errors are as in the finished program.
/// What a call of the test causes is told before the call returns, where observers have the usual `Delivery.immediate`
/// and no other thread uses the manager meanwhile.
///
/// The fake keeps to what the service does: it is told nothing that is not interests, nothing twice, and nothing that it may
/// not know. A location counts as the present one for 3 s of the fake's clock: who begins to ask within that time is
/// told it.
public final class FakeLocationManager: Sendable {
    /// The manager itself, for code that takes no other.
    public let manager: LocationManager
    let transport: ScriptedTransport

    /// A manager whose service answers, knows no location yet, and allows everything unless said otherwise.
    public init(
        authorization: AuthorizationStatus = .authorizedAlways, accuracy: AccuracyAuthorization = .full,
        configuration: LocationConfiguration = LocationConfiguration()
    ) {
        transport = ScriptedTransport(
            now: MachineClock.now, world: ScriptedWorld(authorization: authorization, accuracy: accuracy))
        manager = LocationManager(configuration, transport: transport)
    }

    // MARK: Time

    /// The fake's clock. It begins with the machine's, and moves by ``advance(by:)``, and a nanosecond with each location.
    public var now: BootInstant { transport.now }

    /// Moves the clock so many seconds on; time-outs and refreshes that fall due happen in their order.
    public func advance(by seconds: Double) {
        transport.advance(by: seconds)
    }

    // MARK: What the program asks for

    /// True while the program asks for locations.
    public var isReceiverWanted: Bool { demand != nil }
    /// The filter with which it asks for them; `nil` while it does not.
    public var demand: LocationFilter? { transport.withState { $0.demand } }
    /// True while the program asks for headings.
    public var isCompassWanted: Bool { transport.withState { $0.clients.values.contains { $0.interest.headings } } }
}

/// What the receiver has to say.
extension FakeLocationManager {
    /// A location comes, as it is; one of the number 0 gets the next. What is not newer than the last is not told, and
    /// nothing comes while the service is off.
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

    /// A location comes, made up at this moment of the fake's clock.
    ///
    /// - Parameters:
    ///   - latitude: degrees north, -90...90.
    ///   - longitude: degrees east, -180...180.
    ///   - horizontalAccuracy: metres.
    ///   - altitude: metres above mean sea level.
    ///   - speed: metres per second.
    ///   - course: degrees clockwise from true north, 0..<360.
    ///   - timestamp: the receiver's UTC.
    /// - Returns: the location; `nil` if there is no such place, and nothing is sent then.
    @discardableResult
    public func send(
        latitude: Double, longitude: Double, horizontalAccuracy: Double? = 5, altitude: Double? = nil,
        speed: Double? = nil, course: Double? = nil, timestamp: UTCTime? = nil
    ) -> Location? {
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else { return nil }
        var location = Location(
            coordinate: coordinate, mode: altitude == nil ? .twoDimensional : .threeDimensional, monotonicTime: now,
            source: SourceInformation(name: "fake", isSimulated: true))
        location.horizontalAccuracy = horizontalAccuracy
        location.altitude = altitude
        location.speed = speed
        location.course = course
        location.timestamp = timestamp
        return send(location)
    }

    /// A heading comes.
    public func send(_ heading: Heading) {
        transport.change { state in
            state.world.headingAvailable = true
            state.enqueueStatus()
            state.enqueue(.heading(heading))
        }
    }

    /// The receiver has no fix any more, until the next location.
    public func loseFix() {
        transport.change { state in
            state.world.reception = .lost
            state.enqueueStatus()
        }
    }

    /// No receiver can be reached, until the next location.
    public func becomeUnavailable(reason: String = "the receiver cannot be reached") {
        transport.change { state in
            state.world.reception = .unavailable(reason: reason)
            state.enqueueStatus()
        }
    }
}

/// What happens to the service, and who may know.
extension FakeLocationManager {
    /// Whether the program may know the position. Setting it is the administrator's decision: it holds at once, and
    /// answers all who wait for one.
    public var authorizationStatus: AuthorizationStatus {
        get { manager.authorizationStatus }
        set { transport.change { $0.authorize(newValue) } }
    }

    /// How precisely the program may know it. Setting it takes headings away, or gives them back; locations are told as
    /// they are sent.
    public var accuracyAuthorization: AccuracyAuthorization {
        get { manager.accuracyAuthorization }
        set {
            transport.change { state in
                state.world.accuracy = newValue
                state.enqueueStatus()
            }
        }
    }

    /// What is decided as soon as the program asks for authorization and nobody has decided before; `nil` lets it wait
    /// until ``authorizationStatus`` is set.
    public var authorizationAnswer: AuthorizationStatus? {
        get { transport.withState { $0.authorizationAnswer } }
        set { transport.withState { $0.authorizationAnswer = newValue } }
    }

    /// What the program asked for and nobody has decided, the oldest first.
    public var pendingAuthorizationRequests: [AuthorizationLevel] {
        transport.withState { $0.pendingRequests.map(\.level) }
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

    /// The connection to the service is lost, until ``reconnect()``. Each call is one more try that failed.
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

    /// Brings about that error: takes the authorization away, switches the service off, makes the receiver unavailable,
    /// or ends the connection.
    public func fail(_ error: LocationError) {
        switch error {
        case .unauthorized(let status, let reason): transport.change { $0.authorize(status, reason: reason) }
        case .disabled: disableService()
        case .unavailable(let reason, _): becomeUnavailable(reason: reason)
        default: disconnect(error)
        }
    }
}
