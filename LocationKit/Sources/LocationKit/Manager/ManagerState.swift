@_spi(Programs) import LocationModel
import Logging

/// The state of a manager, without clock or transport: inputs change it, and its ``interest``, its ``nextWakeUp`` and
/// the work in its outbox are the results.
///
/// It is used under the manager's lock alone and never calls code of the program; the outbox does. It has a property
/// for each kind of subscriber and each kind of what was received, so many that they are more than fifteen.
struct ManagerState {
    let configuration: LocationConfiguration
    var settings = LocationSettings()
    var isUpdating = false
    var isUpdatingHeading = false
    /// After how many further locations updating stops by itself; `nil` for never.
    var updatesLeft: Int?
    /// Locations that the service has dropped because this program read too slowly.
    var dropped = 0
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
    private var ongoingFailure: OngoingFailure?
    /// Whether an unavailable service was a failure for this program when the last one was looked for.
    private var neededTransport = false
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
        var plain = WatchRequest()
        plain.purpose = configuration.purpose?.shortened(toBytes: InvalidField.purposeLimit)
        let isAwaiting = requests.contains { !$0.isFetchingLast }
        if isAwaiting || isListening {
            var request = plain
            settings.apply(to: &request, isAwaited: isAwaiting)
            let accuracies = requests.map(\.desiredAccuracy) + [isListening ? settings.desiredAccuracy : nil]
            request.desiredAccuracy = accuracies.compactMap { $0.flatMap { $0 > 0 ? $0 : nil } }.min()
            interest.locations = request
        }
        plain.location = false
        if isUpdatingHeading || headings.requestsUpdates {
            var request = plain
            (request.heading, request.headingFilter) = (true, settings.headingFilter)
            interest.headings = request
        }
        if !authorizations.isEmpty || !statuses.isEmpty || startsWhenAuthorized { interest.status = plain }
        return interest
    }

    /// When the manager has to be woken if no event comes before.
    var nextWakeUp: BootInstant? {
        let retries = authorizationRequests.values.compactMap(\.retry)
        return (requests.compactMap(\.deadline) + retries + [refreshMoment, nextReport].compactMap(\.self)).min()
    }

    /// Completes an input: to be called after each, before ``interest`` is read.
    mutating func finishInput(at now: BootInstant) {
        updateRefreshing(at: now)
        reportPresentFailure(at: now)
        // Reporting a failure may have stopped the updating.
        if !isListening { anchor = nil }
        guard interest.isEmpty else { return }
        connection = nil
        status = nil
    }

    /// Why there is no location now, as far as that is a failure for this program; `nil` if nothing fails.
    private var presentFailure: (error: LocationError, isConnectionLost: Bool)? {
        if case .disconnected(let error) = connection { return interest.isEmpty ? nil : (error, true) }
        guard needsTransport, let error = status.flatMap({ LocationError($0) }) else { return nil }
        return (error, false)
    }

    /// When the failure that persists is reported again, if anybody is told.
    private var nextReport: BootInstant? {
        let isTold = !errors.isEmpty || configuration.errorLimit != nil && (isUpdating || isUpdatingHeading)
        return isTold ? ongoingFailure?.nextReport : nil
    }

    /// Reports a failure when it begins, and at its pace while it lasts.
    mutating func reportPresentFailure(at now: BootInstant) {
        defer { neededTransport = needsTransport }
        // A program that starts is told what fails, although it has been told before.
        if needsTransport, !neededTransport { ongoingFailure = nil }
        guard let present = presentFailure else { return ongoingFailure = nil }
        if ongoingFailure?.goesOn(as: present.error, isConnectionLost: present.isConnectionLost) == true {
            if ongoingFailure?.repeatReport(at: now) == true { reportFailure(present.error) }
        } else {
            ongoingFailure = OngoingFailure(present.error, isConnectionLost: present.isConnectionLost, at: now)
            reportFailure(present.error)
        }
        // Reporting it may have stopped the updating: the next start is told again.
        if !needsTransport, !present.isConnectionLost { ongoingFailure = nil }
    }

    /// Publishes a failure, and stops updating if the limit is reached.
    private mutating func reportFailure(_ error: LocationError) {
        errors.publish(error, &outbox)
        log(.info, "the location service fails", ["error": "\(error)"])
        guard isUpdating || isUpdatingHeading else { return }
        failures += 1
        guard let limit = configuration.errorLimit, limit > 0, failures >= limit else { return }
        log(.info, "updating stops after too many failures in a row", ["failures": "\(failures)"])
        isUpdating = false
        isUpdatingHeading = false
    }

    mutating func startUpdating(maximumUpdates: Int? = nil) {
        updatesLeft = maximumUpdates
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
        (isUpdating, updatesLeft) = (false, nil)
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
