@_spi(Programs) package import LocationModel

/// What one client may know.
package struct Permission: Sendable, Hashable {
    package var authorization: AuthorizationStatus
    package var accuracy: AccuracyAuthorization
    /// True while an administrator has yet to decide.
    package var isPending: Bool
    /// True while an authorization gives nothing, as for a user who has no active session.
    package var isSuspended = false
    /// True while an administrator has yet to decide whether the accuracy may be full.
    package var isFullAccuracyPending = false
    /// True for a watch that wants a reduced accuracy, of a client that may know more.
    package private(set) var isCoarseByRequest = false
    /// When a permission with a term ends; `nil` for one without.
    package var end: BootInstant?
    /// The rate limit on locations for the client's principal, whatever it asks for.
    package var pace: Pace?
    /// Why no locations are given now, and what to do; `nil` where they are given.
    package var reason: String?

    package init(_ authorization: AuthorizationStatus, accuracy: AccuracyAuthorization = .full, isPending: Bool = false)
    {
        self.authorization = authorization
        self.accuracy = accuracy
        self.isPending = isPending
    }

    /// What remains of it for a watch that wants no more than a reduced accuracy.
    func limited(to request: WatchRequest) -> Permission {
        guard request.reducedAccuracy else { return self }
        var permission = self
        permission.isCoarseByRequest = accuracy == .full
        permission.accuracy = .reduced
        return permission
    }

    /// True while a decision can end a request for authorization: there is none yet, or one that grants less than was
    /// requested since.
    package var isUndecided: Bool {
        authorization == .notDetermined || (authorization == .authorizedWhenInUse && isPending)
    }

    /// True while a decision can end a request for full accuracy.
    package var isAccuracyUndecided: Bool { isUndecided || (isAuthorized && isFullAccuracyPending) }

    /// True if locations may be given now.
    package var mayReceive: Bool { isAuthorized && !isSuspended }

    /// True if locations may be given, now or at another time.
    var isAuthorized: Bool {
        switch authorization {
        case .authorizedAlways, .authorizedWhenInUse: true
        case .notDetermined, .restricted, .denied, .unknown: false
        }
    }

    /// What a status says about the permission.
    func describe(in status: inout ServiceStatus, at now: BootInstant) {
        status.fullAccuracyPending = isFullAccuracyPending ? true : nil
        status.authorizationRemaining = end.map { max(0, $0.seconds(since: now)) }
    }

    /// The view the client has of each fix.
    var view: View {
        guard mayReceive else { return .nothing }
        guard accuracy == .full else { return isCoarseByRequest ? .coarse(pace) : .reduced(pace) }
        return pace.map(View.paced) ?? .full
    }

    /// True if it may see whether the sources run, whoever causes that.
    var seesSources: Bool {
        switch view {
        case .full, .paced: true
        case .nothing, .coarse, .reduced: false
        }
    }

    /// True if satellites and headings may be given too.
    package var maySeeAll: Bool { view == .full }
}

/// A rate limit for a principal, over all its connections together.
package struct Pace: Sendable, Hashable {
    package let principal: String
    /// The least time between two locations, seconds.
    package let interval: Double

    package init(principal: String, interval: Double) {
        self.principal = principal
        self.interval = interval
    }
}

/// What the clients that share a view see of each fix.
enum View: Hashable {
    case nothing
    /// Every fix as it is.
    case full
    /// Full fixes, at a limited rate.
    case paced(Pace)
    /// The cells of the grid that positions are in, for clients that may see full fixes too: their positions are not
    /// displaced, because a client that sees one moment in both ways would learn the machine's displacement.
    case coarse(Pace?)
    /// The cells that displaced positions are in.
    case reduced(Pace?)

    /// Whether it shows the cells of the grid alone.
    var isReduced: Bool {
        switch self {
        case .coarse, .reduced: true
        case .nothing, .full, .paced: false
        }
    }
}
