public import Foundation
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel

/// Monitors conditions, and reports when they begin and cease to hold.
///
/// The conditions are persisted under the monitor's name, for this program: a monitor that is made again has its
/// conditions and the last event of each, and reports what has changed meanwhile as soon as a fix shows it. Only one
/// process at a time can use a name.
public actor CLMonitor {
    /// The name within the program.
    public nonisolated let name: String
    private let monitor: any MonitorProviding
    private let records: MonitorRecords
    private let backend: LocationBackend

    /// A monitor with what is persisted under the name. Waits for at most a quarter of a second to ask the service.
    public init(_ name: String) async {
        self.name = name
        backend = LocationBackend.current
        let monitor = backend.makeMonitor(ProgramName.with(name))
        let records = MonitorRecords()
        self.monitor = monitor
        self.records = records
        for region in monitor.regions {
            guard case .circle(let circle) = region.shape else { continue }
            let condition = CircularGeographicCondition(
                center: CLLocationCoordinate2D(circle.center), radius: circle.radius)
            let report = monitor.report(of: region.identifier)
            records.add(condition, region.identifier, .unknown)
            if let report { records.restore(report) }
        }
        monitor.addObserver(
            Observer<RegionReport>(on: .immediate) { [weak monitor] report in
                records.apply(report, isAccuracyLimited: monitor?.isAccuracyLimited ?? false)
            })
        monitor.addObserver(Observer<LocationError>(on: .immediate) { records.apply($0) })
        monitor.addObserver(
            Observer<ServiceStatus>(on: .immediate) { [weak monitor] status in
                guard let monitor, AuthorizationLevel.whenInUse.isGranted(by: status.authorization), status.enabled
                else {
                    return
                }
                // A state from before the interruption may still hold, and is not reported again by itself.
                for identifier in records.unmonitored {
                    guard let report = monitor.report(of: identifier) else { continue }
                    records.apply(report, isAccuracyLimited: monitor.isAccuracyLimited)
                }
            })
        monitor.start()
    }

    deinit {
        monitor.stop()
        monitor.removeObservers()
        records.finish()
    }

    /// The identifiers of the conditions, in the order in which they were added.
    public var identifiers: [String] { records.identifiers }

    /// Monitors a condition, in place of the one with its identifier.
    ///
    /// - Parameters:
    ///   - condition: a ``CircularGeographicCondition``; others are reported as ``Event/conditionUnsupported``.
    ///   - identifier: the program's identifier, of 1 to 256 bytes.
    public func add(_ condition: any CLCondition, identifier: String) {
        add(condition, identifier: identifier, assuming: .unknown)
    }

    /// Monitors a condition whose state the program assumes, in place of the one with its identifier.
    ///
    /// - Parameters:
    ///   - condition: a ``CircularGeographicCondition``; others are reported as ``Event/conditionUnsupported``.
    ///   - identifier: the program's identifier, of 1 to 256 bytes.
    ///   - state: the assumed state, which is not reported.
    public func add(_ condition: any CLCondition, identifier: String, assuming state: Event.State) {
        // The persisted state of another condition does not apply to this one.
        monitor.remove(identifier: identifier)
        records.add(condition, identifier, state)
        guard
            let circle = condition as? CircularGeographicCondition,
            let shape = RegionShape(center: circle.center, radius: circle.radius),
            let region = try? Region(identifier: identifier, shape: shape)
        else {
            return records.apply(.invalidParameter("condition", reason: "no circle on the Earth"), of: identifier)
        }
        monitor.add(region)
        monitor.start()
    }

    /// Ends the monitoring of a condition.
    public func remove(_ identifier: String) {
        monitor.remove(identifier: identifier)
        records.remove(identifier)
    }

    /// The record of a condition; `nil` if there is none with that identifier.
    public func record(for identifier: String) -> Record? { records.record(for: identifier) }

    /// The events from now on, preceded by those that no loop has received yet, until the loop's task is cancelled or
    /// the monitor is released.
    ///
    /// While there is no decision about this program, a loop requests the position while its user has a session, as a
    /// ``CLServiceSession`` does.
    public var events: Events { Events(stream: records.events, backend: backend) }

    /// The sequence of events.
    public struct Events: AsyncSequence, Sendable {
        fileprivate let stream: AsyncStream<Event>
        fileprivate let backend: LocationBackend

        /// One loop over the events.
        public func makeAsyncIterator() -> Iterator {
            let session = SessionCore(of: backend.makeProvider(), .whenInUse)
            session.begin()
            return Iterator(session: session, events: stream.makeAsyncIterator())
        }

        /// One loop over the events.
        public struct Iterator: AsyncIteratorProtocol {
            /// Ends with the loop.
            fileprivate let session: SessionCore
            fileprivate var events: AsyncStream<Event>.Iterator

            /// The next event, as soon as there is one; `nil` if the task is cancelled, or the monitor is released.
            public mutating func next() async throws -> Event? { await events.next(isolation: #isolation) }
        }
    }
}

/// What a ``CLMonitor`` can be given; ``CLMonitor/CircularGeographicCondition`` is the only kind that is monitored.
public protocol CLCondition: Sendable {}

extension CLMonitor {
    /// The condition of being within a circle on the Earth.
    public struct CircularGeographicCondition: CLCondition {
        /// The middle.
        public let center: CLLocationCoordinate2D
        /// Metres from the middle to the edge, 1 to 10,000,000; others are reported as
        /// ``CLMonitor/Event/conditionUnsupported``.
        public let radius: CLLocationDistance

        /// A circle with its middle and its radius in metres.
        public init(center: CLLocationCoordinate2D, radius: CLLocationDistance) {
            self.center = center
            self.radius = radius
        }
    }

    /// The condition of being near a beacon. It cannot be monitored, because the service knows no beacons: it is
    /// reported as ``CLMonitor/Event/conditionUnsupported``. The type exists for source that uses it.
    public struct BeaconIdentityCondition: CLCondition {
        /// The identity that beacons of one owner share.
        public let uuid: UUID
        /// A group of them; `nil` for any.
        public let major: CLBeaconMajorValue?
        /// One of the group; `nil` for any.
        public let minor: CLBeaconMinorValue?

        /// Any beacon with this identity.
        public init(uuid: UUID) {
            (self.uuid, major, minor) = (uuid, nil, nil)
        }

        /// Any beacon of a group.
        public init(uuid: UUID, major: CLBeaconMajorValue) {
            (self.uuid, self.major, minor) = (uuid, major, nil)
        }

        /// One beacon.
        public init(uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue) {
            (self.uuid, self.major, self.minor) = (uuid, major, minor)
        }
    }

    /// The record of a condition.
    public struct Record: Sendable {
        /// The condition.
        public let condition: any CLCondition
        /// The last event.
        public let lastEvent: Event
    }
}

extension CLMonitor {
    /// An event of a condition.
    public struct Event: Sendable {
        /// Whether a condition holds.
        public enum State: Int, Sendable {
            /// Not known yet.
            case unknown = 0
            /// It holds.
            case satisfied = 1
            /// It does not hold.
            case unsatisfied = 2
            /// The condition is not monitored; the event's other properties say why.
            case unmonitored = 3
        }

        /// The identifier of the condition.
        public let identifier: String
        /// Always `nil`: a circle has no refinement.
        public var refinement: (any CLCondition)? { nil }
        /// Whether it holds.
        public let state: State
        /// The time of the fix that decided the state.
        public let date: Date

        /// The state was decided by locations of reduced accuracy, which decide none of a small circle.
        public let accuracyLimited: Bool

        private var error: LocationError?

        init(
            _ identifier: String, _ state: State, date: Date = Date(), isAccuracyLimited: Bool = false,
            because error: LocationError? = nil
        ) {
            self.identifier = identifier
            accuracyLimited = isAccuracyLimited
            self.state = state
            self.date = date
            self.error = error
        }

        private var refusal: LocationError.Refusal? { error?.refusal }

        /// This program was denied the position, or the service is switched off.
        public var authorizationDenied: Bool { refusal == .denied || authorizationDeniedGlobally }
        /// The service is switched off.
        public var authorizationDeniedGlobally: Bool { error == .disabled }
        /// The administrator's policy forbids it.
        public var authorizationRestricted: Bool { refusal == .restricted }
        /// There is no decision yet whether this program may know the position.
        public var authorizationRequestInProgress: Bool { refusal == .undecided }
        /// This program may know the position only while its user has a session, and there is none.
        public var insufficientlyInUse: Bool { refusal == .notInUse }
        /// This user monitors too many regions.
        public var conditionLimitExceeded: Bool { refusal == .limit }
        /// The condition is not a circle on the Earth with a radius of at most 10,000 km.
        public var conditionUnsupported: Bool { refusal == .unsupported }
        /// Another process of this program uses the monitor of this name.
        public var persistenceUnavailable: Bool { refusal == .inUse }
        /// False: a loop over the events makes the session that it needs.
        public var serviceSessionRequired: Bool { false }
    }
}

extension MonitorProviding {
    fileprivate var isAccuracyLimited: Bool { status?.accuracy == .reduced }
}

extension LocationError {
    /// Why a condition is not monitored.
    enum Refusal { case denied, restricted, undecided, notInUse, limit, unsupported, inUse }

    /// `nil` if the error is temporary.
    var refusal: Refusal? {
        switch self {
        case .unauthorized(.restricted, _): .restricted
        case .unauthorized(.notDetermined, _): .undecided
        case .unauthorized(.authorizedWhenInUse, _): .notInUse
        case .unauthorized: .denied
        case .tooManyRegions: .limit
        case .invalidParameter: .unsupported
        case .monitorInUse: .inUse
        default: nil
        }
    }
}
