import LocationModel
import Logging

/// All that a manager knows and is asked, without any clock or transport: inputs change it, and what follows is its
/// ``interest``, its ``nextWakeUp`` and the work in its outbox.
///
/// It is touched under the manager's lock alone, so it calls no code of the program: that is all done by the outbox.
struct ManagerState {
    let configuration: LocationConfiguration
    var settings = ManagerSettings()
    var isUpdating = false
    var isUpdatingHeading = false
    /// True once the manager is gone; loops and requests go on.
    var isRetired = false

    var locations = SubscriberList<Location>()
    var headings = SubscriberList<Heading>()
    var authorizations = SubscriberList<AuthorizationStatus>()
    var errors = SubscriberList<LocationError>()
    var connections = SubscriberList<ConnectionState>()
    var statuses = SubscriberList<ServiceStatus>()
    var reports = SubscriberList<LocationReport>()

    var requests: [LocationRequest] = []
    var authorizationRequests: [Int: PendingAuthorizationRequest] = [:]

    var location: Location?
    var heading: Heading?
    /// The last location that was told, for as long as the telling goes on.
    var anchor: LocationFilter.Anchor?
    /// Whether the service can be heard; `nil` if nothing is interests, or nothing was heard yet.
    var connection: ConnectionState?
    /// What the service told last, while it is connected.
    var status: ServiceStatus?
    /// What it answered when asked without a connection; the answer is `nil` if there was none.
    var fetchedStatus: (answer: ServiceStatus?, moment: BootInstant)?
    /// The failure that goes on, which was told.
    var ongoingFailure: LocationError?
    /// How many failures were told since the last location.
    var failures = 0
    /// Since when nothing has come that would make refreshing unnecessary; `nil` if nobody watches.
    var quietSince: BootInstant?

    var outbox = Outbox()
    /// What the service was told.
    var sentInterest = Interest()
    /// What the service was told; `nil` for nothing.
    var scheduledWakeUp: BootInstant?
    /// True once a call was made of the service that it has to be let settle after.
    var hasCalledTransport = false
    private var lastID = 0

    init(_ configuration: LocationConfiguration) {
        self.configuration = configuration
    }

    mutating func newID() -> Int {
        lastID += 1
        return lastID
    }

    /// Whether each location is told, not only those that somebody requested.
    var isListening: Bool { isUpdating || locations.requestsUpdates || reports.requestsUpdates }

    /// Whether it matters that nothing can come.
    private var needsTransport: Bool {
        isListening || isUpdatingHeading || headings.requestsUpdates || !requests.isEmpty
    }

    /// What the service is to tell from now on.
    var interest: Interest {
        var interest = Interest()
        if requests.contains(where: { !$0.isAskingLast }) {
            interest.locations = LocationFilter()
        } else if isListening {
            interest.locations = settings.filter
        }
        interest.headings = isUpdatingHeading || headings.requestsUpdates
        interest.status = !authorizations.isEmpty || !statuses.isEmpty
        if !interest.isEmpty { interest.purpose = configuration.purpose }
        return interest
    }

    /// When something is to be done if nothing comes before.
    var nextWakeUp: BootInstant? {
        let retries = authorizationRequests.values.compactMap(\.retry)
        return (requests.compactMap(\.deadline) + retries + [refreshMoment].compactMap(\.self)).min()
    }

    /// Follows up an input: to be called after each, before ``interest`` is told.
    mutating func finishInput(at now: BootInstant) {
        updateRefreshing(at: now)
        let present = needsTransport ? status.flatMap { LocationError($0) } : nil
        if present != ongoingFailure {
            ongoingFailure = present
            if let present { reportFailure(present) }
            if !needsTransport { ongoingFailure = nil }
        }
        // Telling a failure may have stopped the updating.
        if !isListening { anchor = nil }
        guard interest.isEmpty else { return }
        connection = nil
        status = nil
    }

    /// Tells a failure, and stops updating if it is one too many.
    mutating func reportFailure(_ error: LocationError) {
        errors.publish(error, &outbox)
        log(.info, "the location service fails", ["error": "\(error)"])
        guard isUpdating || isUpdatingHeading else { return }
        failures += 1
        guard let limit = configuration.errorLimit, limit > 0, failures >= limit else { return }
        log(.info, "updating stops after too many failures in a row", ["failures": "\(failures)"])
        isUpdating = false
        isUpdatingHeading = false
    }

    mutating func startUpdating() {
        guard !isUpdating, !isRetired else { return }
        if !isUpdatingHeading { failures = 0 }
        isUpdating = true
        log(.debug, "updating starts")
    }

    mutating func startUpdatingHeading() {
        guard !isUpdatingHeading, !isRetired else { return }
        if !isUpdating { failures = 0 }
        isUpdatingHeading = true
        log(.debug, "updating of headings starts")
    }

    mutating func stopUpdating() {
        guard isUpdating else { return }
        isUpdating = false
        log(.debug, "updating stops")
    }

    mutating func stopUpdatingHeading() {
        guard isUpdatingHeading else { return }
        isUpdatingHeading = false
        log(.debug, "updating of headings stops")
    }
}

/// Observers and loops come and go.
extension ManagerState {
    private var place: Delivery { configuration.delivery }

    mutating func add(_ observer: Observer<Location>) { locations.add(observer, place: place, &outbox) }
    mutating func add(_ observer: Observer<Heading>) { headings.add(observer, place: place, &outbox) }
    mutating func add(_ observer: Observer<LocationError>) { errors.add(observer, place: place, &outbox) }
    mutating func add(_ observer: Observer<ConnectionState>) { connections.add(observer, place: place, &outbox) }
    mutating func add(_ observer: Observer<AuthorizationStatus>) {
        authorizations.add(observer, place: place, current: status?.authorization, &outbox)
    }

    mutating func remove(_ observer: Observer<Location>) {
        if locations.removeObservers(&outbox, where: { $0 === observer }) { stopUpdating() }
    }

    mutating func remove(_ observer: Observer<Heading>) {
        if headings.removeObservers(&outbox, where: { $0 === observer }) { stopUpdatingHeading() }
    }

    mutating func remove(_ observer: Observer<AuthorizationStatus>) {
        authorizations.removeObservers(&outbox) { $0 === observer }
    }

    mutating func remove(_ observer: Observer<LocationError>) {
        errors.removeObservers(&outbox) { $0 === observer }
    }

    mutating func remove(_ observer: Observer<ConnectionState>) {
        connections.removeObservers(&outbox) { $0 === observer }
    }

    mutating func removeObservers() {
        if locations.removeObservers(&outbox) { stopUpdating() }
        if headings.removeObservers(&outbox) { stopUpdatingHeading() }
        authorizations.removeObservers(&outbox)
        errors.removeObservers(&outbox)
        connections.removeObservers(&outbox)
    }

    /// The manager is gone: nobody can stop updating any more, or remove an observer.
    mutating func retire() {
        isRetired = true
        removeObservers()
        stopUpdating()
        stopUpdatingHeading()
    }

    /// Why there is no location just now, as far as that is known.
    var presentReport: LocationReport? {
        switch connection {
        case .disconnected(let error): .noLocation(error)
        case .connected, nil: status.flatMap { LocationError(absenceIn: $0) }.map { .noLocation($0) }
        }
    }
}

extension ManagerState {
    /// Has a constant sentence logged, with what it is about.
    mutating func log(_ level: Logger.Level, _ message: Logger.Message, _ metadata: Logger.Metadata = [:]) {
        let logger = configuration.logger
        guard logger.logLevel <= level else { return }
        outbox.append { logger.log(level: level, message, metadata: metadata) }
    }
}
