import LocationModel
import Logging

/// All that a manager knows and is asked, without any clock or service: inputs change it, and what follows is its
/// ``wish``, its ``nextMoment`` and the work in its outbox.
///
/// It is touched under the manager's lock alone, so it calls no code of the program: that is all done by the outbox.
struct ManagerState {
    let configuration: LocationConfiguration
    var settings = ManagerSettings()
    var isUpdating = false
    var isUpdatingHeading = false
    /// True once the manager is gone; loops and requests go on.
    var isRetired = false

    var locations = Audience<Location>()
    var headings = Audience<Heading>()
    var authorizations = Audience<AuthorizationStatus>()
    var errors = Audience<LocationError>()
    var connections = Audience<ConnectionState>()
    var statuses = Audience<ServiceStatus>()
    var reports = Audience<LocationReport>()

    var requests: [OneShotRequest] = []
    var authorizationRequests: [Int: AuthorizationRequest] = [:]

    var location: Location?
    var heading: Heading?
    /// The last location that was told, for as long as the telling goes on.
    var anchor: LocationFilter.Anchor?
    /// Whether the service can be heard; `nil` if nothing is wished, or nothing was heard yet.
    var connection: ConnectionState?
    /// What the service told last, while it is connected.
    var status: ServiceStatus?
    /// What it answered when asked without a connection; the answer is `nil` if there was none.
    var askedStatus: (answer: ServiceStatus?, moment: BootInstant)?
    /// The failure that goes on, which was told.
    var obstacle: LocationError?
    /// How many failures were told since the last location.
    var failures = 0
    /// Since when nothing has come that would make refreshing unnecessary; `nil` if nobody watches.
    var quietSince: BootInstant?

    var outbox = Outbox()
    /// What the service was told.
    var toldWish = Wish()
    /// What the service was told; `nil` for nothing.
    var toldMoment: BootInstant?
    /// True once a call was made of the service that it has to be let settle after.
    var hasCalledService = false
    private var lastID = 0

    init(_ configuration: LocationConfiguration) {
        self.configuration = configuration
    }

    mutating func newID() -> Int {
        lastID += 1
        return lastID
    }

    /// Whether each location is told, not only those that somebody requested.
    var isListening: Bool { isUpdating || locations.asks || reports.asks }

    /// Whether it matters that nothing can come.
    private var needsService: Bool {
        isListening || isUpdatingHeading || headings.asks || !requests.isEmpty
    }

    /// What the service is to tell from now on.
    var wish: Wish {
        var wish = Wish()
        if requests.contains(where: { !$0.isAskingLast }) {
            wish.locations = LocationFilter()
        } else if isListening {
            wish.locations = settings.filter
        }
        wish.headings = isUpdatingHeading || headings.asks
        wish.status = !authorizations.isEmpty || !statuses.isEmpty
        if !wish.isEmpty { wish.purpose = configuration.purpose }
        return wish
    }

    /// When something is to be done if nothing comes before.
    var nextMoment: BootInstant? {
        let retries = authorizationRequests.values.compactMap(\.retry)
        return (requests.compactMap(\.deadline) + retries + [refreshMoment].compactMap(\.self)).min()
    }

    /// Follows up an input: to be called after each, before ``wish`` is told.
    mutating func settle(at now: BootInstant) {
        settleRefreshing(at: now)
        let present = needsService ? status.flatMap { LocationError($0) } : nil
        if present != obstacle {
            obstacle = present
            if let present { tell(present) }
            if !needsService { obstacle = nil }
        }
        // Telling a failure may have stopped the updating.
        if !isListening { anchor = nil }
        guard wish.isEmpty else { return }
        connection = nil
        status = nil
    }

    /// Tells a failure, and stops updating if it is one too many.
    mutating func tell(_ error: LocationError) {
        errors.tell(error, &outbox)
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
