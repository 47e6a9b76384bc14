public import Foundation
import LocationKit
import LocationModel

/// Watches conditions, and tells when they begin and cease to hold.
///
/// What it watches is kept over restarts under its name, for this program: made again, it has its conditions and what was
/// told of each last, and tells what has changed meanwhile as soon as a fix shows it. One process at a time has a name.
public actor CLMonitor {
    /// The name within the program.
    public nonisolated let name: String
    private let monitor: any MonitorProviding
    private let records: MonitorRecords

    /// A monitor of what is kept under the name; the service is asked for that, a quarter of a second at most.
    public init(_ name: String) async {
        self.name = name
        let monitor = LocationBackend.current.makeMonitor(ProgramName.with(name))
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
        monitor.addObserver(Observer<RegionReport>(on: .immediate) { records.apply($0) })
        monitor.addObserver(Observer<LocationError>(on: .immediate) { records.apply($0) })
        monitor.addObserver(
            Observer<ServiceStatus>(on: .immediate) { [weak monitor] status in
                guard let monitor, AuthorizationLevel.whenInUse.isGranted(by: status.authorization), status.enabled
                else {
                    return
                }
                // What held before the watching was interrupted may hold still, and is not told anew by itself.
                for identifier in records.unmonitored { monitor.report(of: identifier).map(records.apply) }
            })
        monitor.start()
    }

    deinit {
        monitor.stop()
        monitor.removeObservers()
        records.finish()
    }

    /// What is watched, in the order it was added.
    public var identifiers: [String] { records.identifiers }

    /// Watches a condition, in place of the one of its identifier.
    ///
    /// - Parameters:
    ///   - condition: a ``CircularGeographicCondition``; others are told as ``Event/conditionUnsupported``.
    ///   - identifier: the program's name for it, of 1 to 256 bytes.
    public func add(_ condition: any CLCondition, identifier: String) {
        add(condition, identifier: identifier, assuming: .unknown)
    }

    /// Watches a condition of which the program believes something, in place of the one of its identifier.
    ///
    /// - Parameters:
    ///   - condition: a ``CircularGeographicCondition``; others are told as ``Event/conditionUnsupported``.
    ///   - identifier: the program's name for it, of 1 to 256 bytes.
    ///   - state: what need not be told.
    public func add(_ condition: any CLCondition, identifier: String, assuming state: Event.State) {
        // What is kept of another condition is no news of this one.
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

    /// Ends the watching of a condition.
    public func remove(_ identifier: String) {
        monitor.remove(identifier: identifier)
        records.remove(identifier)
    }

    /// What is known of a condition; `nil` if there is none of that identifier.
    public func record(for identifier: String) -> Record? { records.record(for: identifier) }

    /// What becomes of the conditions, from now on and what nobody was told yet, until the loop's task is cancelled or
    /// the monitor is gone.
    public var events: Events { Events(stream: records.events) }

    /// What a program loops over to hear of its conditions.
    public struct Events: AsyncSequence, Sendable {
        fileprivate let stream: AsyncStream<Event>

        /// One loop's place.
        public func makeAsyncIterator() -> Iterator { Iterator(events: stream.makeAsyncIterator()) }

        /// One loop's place in the events.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate var events: AsyncStream<Event>.Iterator

            /// The next event, as soon as there is one; `nil` if the task is cancelled, or the monitor is gone.
            public mutating func next() async throws -> Event? { await events.next(isolation: #isolation) }
        }
    }
}

/// What a ``CLMonitor`` can be asked to watch; ``CLMonitor/CircularGeographicCondition`` is the one kind there is.
public protocol CLCondition: Sendable {}

extension CLMonitor {
    /// To be within a circle on the Earth.
    public struct CircularGeographicCondition: CLCondition {
        /// The middle.
        public let center: CLLocationCoordinate2D
        /// Metres from the middle to the edge, 1 to 10,000,000; others are told as
        /// ``CLMonitor/Event/conditionUnsupported``.
        public let radius: CLLocationDistance

        /// A circle by its middle and its radius in metres.
        public init(center: CLLocationCoordinate2D, radius: CLLocationDistance) {
            self.center = center
            self.radius = radius
        }
    }

    /// What is known of a condition.
    public struct Record: Sendable {
        /// The condition.
        public let condition: any CLCondition
        /// What was told of it last.
        public let lastEvent: Event
    }
}

extension CLMonitor {
    /// What has become of a condition.
    public struct Event: Sendable {
        /// Whether a condition holds.
        public enum State: Int, Sendable {
            /// Nobody knows yet.
            case unknown = 0
            /// It holds.
            case satisfied = 1
            /// It does not hold.
            case unsatisfied = 2
            /// It is not watched; the event's other properties say why.
            case unmonitored = 3
        }

        /// Which condition.
        public let identifier: String
        /// `nil`: a circle is never told more exactly than it was asked.
        public var refinement: (any CLCondition)? { nil }
        /// Whether it holds.
        public let state: State
        /// When the fix that decided it was taken.
        public let date: Date

        private var error: LocationError?

        init(_ identifier: String, _ state: State, date: Date = Date(), because error: LocationError? = nil) {
            self.identifier = identifier
            self.state = state
            self.date = date
            self.error = error
        }

        private var refusal: LocationError.Refusal? { error?.refusal }

        /// This program was refused the position, or the service is switched off.
        public var authorizationDenied: Bool { refusal == .denied || authorizationDeniedGlobally }
        /// The service is switched off.
        public var authorizationDeniedGlobally: Bool { error == .disabled }
        /// The administrator's policy forbids it.
        public var authorizationRestricted: Bool { refusal == .restricted }
        /// Nobody has decided yet whether this program may know the position.
        public var authorizationRequestInProgress: Bool { refusal == .undecided }
        /// This program may know the position only while its user has a session, and there is none.
        public var insufficientlyInUse: Bool { refusal == .notInUse }
        /// This user monitors too many regions.
        public var conditionLimitExceeded: Bool { refusal == .limit }
        /// It is no circle on the Earth, of at most 10,000 km.
        public var conditionUnsupported: Bool { refusal == .unsupported }
        /// Another run of this program has the monitor of this name.
        public var persistenceUnavailable: Bool { refusal == .inUse }
        /// False: the state of a circle is told however roughly the position may be known, where it can be decided.
        public var accuracyLimited: Bool { false }
        /// False: no session is needed.
        public var serviceSessionRequired: Bool { false }
    }
}

extension LocationError {
    /// Why a condition is not watched.
    enum Refusal { case denied, restricted, undecided, notInUse, limit, unsupported, inUse }

    /// `nil` for what passes by itself.
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
