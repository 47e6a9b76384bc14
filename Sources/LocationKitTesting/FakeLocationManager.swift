public import LocationKit
public import LocationModel
import SystemClock

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
/// The fake keeps to what the service does: it is told nothing that is not wished, nothing twice, and nothing that it may
/// not know. A location counts as the present one for 3 s of the fake's clock: who begins to ask within that time is
/// told it.
public final class FakeLocationManager: Sendable {
    /// The manager itself, for code that takes no other.
    public let manager: LocationManager
    let service: ScriptedService

    /// A manager whose service answers, knows no location yet, and allows everything unless said otherwise.
    public init(
        authorization: AuthorizationStatus = .authorizedAlways, accuracy: AccuracyAuthorization = .full,
        configuration: LocationConfiguration = LocationConfiguration()
    ) {
        service = ScriptedService(
            now: MachineClock.now, world: ScriptedWorld(authorization: authorization, accuracy: accuracy))
        manager = LocationManager(configuration, service: service)
    }

    // MARK: Time

    /// The fake's clock. It begins with the machine's, and moves by ``advance(by:)``, and a nanosecond with each location.
    public var now: BootInstant { service.now }

    /// Moves the clock so many seconds on; time-outs and refreshes that fall due happen in their order.
    public func advance(by seconds: Double) {
        service.advance(by: seconds)
    }

    // MARK: What the program asks for

    /// True while the program asks for locations.
    public var isReceiverWanted: Bool { demand != nil }
    /// The filter with which it asks for them; `nil` while it does not.
    public var demand: LocationFilter? { service.withState { $0.demand } }
    /// True while the program asks for headings.
    public var isCompassWanted: Bool { service.withState { $0.clients.values.contains { $0.wish.headings } } }
}
