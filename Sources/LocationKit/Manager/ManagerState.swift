import LocationModel
import Logging

/// The state of a manager, without clock or transport: inputs change it, and its ``interest``, its ``nextWakeUp`` and
/// the work in its outbox are the results.
///
/// It is used under the manager's lock alone and never calls code of the program; the outbox does.
struct ManagerState {
    let configuration: LocationConfiguration
    var settings = ManagerSettings()
    var isUpdating = false
    var isUpdatingHeading = false
    /// True while a request with `startUpdating` was refused: updating starts when the program is authorized later.
    var startsWhenAuthorized = false
    /// True once the manager is released; loops and requests go on.
    var isRetired = false

    var locations = SubscriberList<Location>()
    var headings = SubscriberList<Heading>()
    var authorizations = SubscriberList<AuthorizationStatus>()
    var errors = SubscriberList<LocationError>()
    var connections = SubscriberList<ConnectionState>()
    var statuses = SubscriberList<ServiceStatus>()
    var reports = SubscriberList<LocationReport>()

    var requests: [OneShotRequest] = []
    var authorizationRequests: [Int: PendingAuthorizationRequest] = [:]

    var location: Location?
    var heading: Heading?
    /// The last published location, which the filter compares with; `nil` when the next one has to be published anyway.
    var anchor: LocationFilter.Anchor?
    /// The state of the connection; `nil` without an interest, or before the first event.
    var connection: ConnectionState?
    /// The last status that the service delivered on the present connection.
    var status: ServiceStatus?
    /// The last status fetched without a connection; the answer is `nil` if the call failed.
    var fetchedStatus: (answer: ServiceStatus?, moment: BootInstant)?
    /// The failure that has been reported and persists.
    var ongoingFailure: LocationError?
    /// The number of failures reported since the last location.
    var failures = 0
    /// When the refresh interval began; `nil` while no location is observed.
    var quietSince: BootInstant?

    var outbox = Outbox()
    /// The interest that the transport has.
    var sentInterest = Interest()
    /// The wake-up that is scheduled at the transport; `nil` for none.
    var scheduledWakeUp: BootInstant?
    /// True if a call was made on the transport, after which `deliverPending()` has to be called.
    var hasCalledTransport = false
    private var lastID = 0

    init(_ configuration: LocationConfiguration) {
        self.configuration = configuration
    }

    mutating func newID() -> Int {
        lastID += 1
        return lastID
    }

    /// Whether every location is published, not only those that answer a request.
    var isListening: Bool { isUpdating || locations.requestsUpdates || reports.requestsUpdates }

    /// Whether an unavailable service is a failure for this program.
    private var needsTransport: Bool {
        isListening || isUpdatingHeading || headings.requestsUpdates || !requests.isEmpty
    }

    /// The events that are wanted now.
    var interest: Interest {
        var interest = Interest()
        if requests.contains(where: { !$0.isFetchingLast }) {
            interest.locations = LocationFilter()
        } else if isListening {
            interest.locations = settings.filter
            interest.maximumDelay = settings.maximumDelay
            if settings.pausesAutomatically { interest.pausingActivity = settings.activityType }
        }
        if interest.locations != nil {
            let accuracies = requests.map(\.desiredAccuracy) + [isListening ? settings.desiredAccuracy : nil]
            interest.desiredAccuracy = accuracies.compactMap { $0.flatMap { $0 > 0 ? $0 : nil } }.min()
        }
        interest.headings = isUpdatingHeading || headings.requestsUpdates
        if interest.headings { interest.headingFilter = settings.headingFilter }
        interest.status = !authorizations.isEmpty || !statuses.isEmpty || startsWhenAuthorized
        if !interest.isEmpty { interest.purpose = configuration.purpose }
        return interest
    }

    /// When the manager has to be woken if no event comes before.
    var nextWakeUp: BootInstant? {
        let retries = authorizationRequests.values.compactMap(\.retry)
        return (requests.compactMap(\.deadline) + retries + [refreshMoment].compactMap(\.self)).min()
    }

    /// Completes an input: to be called after each, before ``interest`` is read.
    mutating func finishInput(at now: BootInstant) {
        updateRefreshing(at: now)
        let present = needsTransport ? status.flatMap { LocationError($0) } : nil
        if present != ongoingFailure {
            ongoingFailure = present
            if let present { reportFailure(present) }
            if !needsTransport { ongoingFailure = nil }
        }
        // Reporting a failure may have stopped the updating.
        if !isListening { anchor = nil }
        guard interest.isEmpty else { return }
        connection = nil
        status = nil
    }

    /// Publishes a failure, and stops updating if the limit is reached.
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
        startsWhenAuthorized = false
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
        startsWhenAuthorized = false
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

/// Adding and removing observers.
extension ManagerState {
    private var place: Delivery { configuration.delivery }

    mutating func add(_ observer: Observer<Location>) { locations.add(observer, place: place, &outbox) }
    mutating func add(_ observer: Observer<Heading>) { headings.add(observer, place: place, &outbox) }
    mutating func add(_ observer: Observer<LocationError>) { errors.add(observer, place: place, &outbox) }
    mutating func add(_ observer: Observer<ConnectionState>) { connections.add(observer, place: place, &outbox) }
    mutating func add(_ observer: Observer<AuthorizationStatus>) {
        authorizations.add(observer, place: place, current: status?.authorization, &outbox)
    }

    mutating func add(_ observer: Observer<ServiceStatus>) {
        statuses.add(observer, place: place, current: status, &outbox)
    }

    mutating func remove(_ observer: Observer<ServiceStatus>) {
        statuses.removeObservers(&outbox) { $0 === observer }
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
        statuses.removeObservers(&outbox)
        errors.removeObservers(&outbox)
        connections.removeObservers(&outbox)
    }

    /// The manager is released: nobody can stop updating or remove an observer any more.
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
    /// Logs a constant message with metadata, through the outbox.
    mutating func log(_ level: Logger.Level, _ message: Logger.Message, _ metadata: Logger.Metadata = [:]) {
        let logger = configuration.logger
        guard logger.logLevel <= level else { return }
        outbox.append { logger.log(level: level, message, metadata: metadata) }
    }
}
