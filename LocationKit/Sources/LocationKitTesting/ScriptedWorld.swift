@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel

/// The simulated state of receiver, service and authorization.
struct ScriptedWorld {
    /// Seconds for which a location counts as current, as in the daemon.
    static let freshness = 3.0

    /// The state of reception while locations are requested.
    enum Reception: Hashable {
        case searching
        case tracking
        case lost
        case unavailable(reason: String)
    }

    var authorization: AuthorizationStatus
    var accuracy: AccuracyAuthorization
    /// The reason of a refusal; `nil` for the default.
    var refusal: String?
    /// True from a request for authorization to the decision.
    var isPending = false
    /// True from a request for full accuracy to the decision.
    var isFullAccuracyPending = false
    var isEnabled = true
    var reception = Reception.searching
    var headingAvailable: Bool?
    /// Whether the machine is stationary, and whether that pauses the updates.
    var isStationary = false
    var isPaused = false
    var lastLocation: Location?
    private(set) var lastSequence: Int64 = 0
    /// Why the service does not answer; `nil` while it does.
    var failure: LocationError?

    init(authorization: AuthorizationStatus, accuracy: AccuracyAuthorization) {
        self.authorization = authorization
        self.accuracy = accuracy
    }

    var isAuthorized: Bool { AuthorizationLevel.whenInUse.isGranted(by: authorization) }
    /// True if locations may be delivered.
    var mayDeliver: Bool { isAuthorized && isEnabled && failure == nil }

    /// Records a location of the receiver; without a number it gets the next one. While the service is off no receiver
    /// runs.
    mutating func record(_ location: Location) -> Location {
        var location = location
        if location.sequence == 0 { location.sequence = lastSequence + 1 }
        guard isEnabled else { return location }
        lastSequence = max(lastSequence, location.sequence)
        lastLocation = location
        reception = .tracking
        return location
    }

    /// The last location if it still counts as current.
    func freshLocation(at now: BootInstant) -> Location? {
        lastLocation.flatMap { $0.age(at: now) < Self.freshness ? $0 : nil }
    }

    /// Restarts reception after a time without demand.
    mutating func beginReception(at now: BootInstant) {
        if case .unavailable = reception { return }
        reception = freshLocation(at: now) == nil ? .searching : .tracking
    }

    /// The status of the service for this program.
    func status(isReceiverWanted: Bool, at now: BootInstant) -> ServiceStatus {
        var source = source(isReceiverWanted: isReceiverWanted)
        if !isAuthorized { source.reason = refusalReason }
        if isAuthorized, accuracy == .full {
            source.headingAvailable = headingAvailable
            source.isStationary = isStationary && source.state == .tracking
            source.name = source.state == .tracking ? lastLocation?.source.name : nil
        }
        var status = ServiceStatus(
            authorization: authorization, accuracy: accuracy, enabled: isEnabled, source: source,
            fixAge: isAuthorized ? lastLocation?.age(at: now) : nil, authorizationPending: isPending)
        status.fullAccuracyPending = isFullAccuracyPending ? true : nil
        status.paused = isPaused ? true : nil
        return status
    }

    private func source(isReceiverWanted: Bool) -> SourceStatus {
        guard isEnabled else { return SourceStatus(state: .stopped, reason: "the service is off") }
        guard isReceiverWanted, isAuthorized else { return SourceStatus(state: .stopped) }
        return switch reception {
        case .searching: SourceStatus(state: .searching)
        case .tracking: SourceStatus(state: .tracking)
        case .lost: SourceStatus(state: .lost, reason: "the receiver has lost its fix")
        case .unavailable(let reason): SourceStatus(state: .unavailable, reason: reason)
        }
    }

    /// The last location if it is not older than so many seconds, else the error that the daemon would return.
    func lastLocation(maximumAge: Double, at now: BootInstant) -> Result<Location, LocationError> {
        if let failure { return .failure(failure) }
        guard isAuthorized else { return .failure(.unauthorized(authorization, reason: refusalReason)) }
        guard isEnabled else { return .failure(.disabled) }
        guard let lastLocation, lastLocation.age(at: now) <= maximumAge else {
            return .failure(.unavailable(reason: "no location young enough is known", best: lastLocation))
        }
        return .success(lastLocation)
    }

    private var refusalReason: String {
        refusal ?? (authorization == .notDetermined ? "there is no decision yet" : "the test does not allow it")
    }
}
