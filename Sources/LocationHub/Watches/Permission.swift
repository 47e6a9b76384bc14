package import LocationModel

/// What one client may know.
package struct Permission: Sendable, Hashable {
    package var authorization: AuthorizationStatus
    package var accuracy: AccuracyAuthorization
    /// True while somebody has still to decide.
    package var isPending: Bool
    /// True while an authorization gives nothing, as that of a user who is not there.
    package var isSuspended = false
    /// How seldom locations are given to the client's principal, whatever it asks for.
    package var pace: Pace?
    /// Why nothing is given now, and what to do; `nil` where locations are given.
    package var reason: String?

    package init(_ authorization: AuthorizationStatus, accuracy: AccuracyAuthorization = .full, isPending: Bool = false)
    {
        self.authorization = authorization
        self.accuracy = accuracy
        self.isPending = isPending
    }

    /// True if locations may be given now.
    package var mayReceive: Bool { isAuthorized && !isSuspended }

    /// True if locations may be given, now or at another time.
    var isAuthorized: Bool {
        switch authorization {
        case .authorizedAlways, .authorizedWhenInUse: true
        case .notDetermined, .restricted, .denied, .unknown: false
        }
    }

    /// What the client sees of each fix.
    var view: View {
        guard mayReceive else { return .nothing }
        guard accuracy == .full else { return .reduced(pace) }
        return pace.map(View.paced) ?? .full
    }

    /// True if it may be told when the sources run, whoever wants them to.
    var seesSources: Bool {
        switch view {
        case .full, .paced: true
        case .nothing, .reduced: false
        }
    }

    /// True if views of the sky and headings may be given too.
    package var maySeeAll: Bool { view == .full }
}

/// A principal who gets a location so seldom at most, over all its connections together.
package struct Pace: Sendable, Hashable {
    package let principal: String
    /// Seconds.
    package let interval: Double

    package init(principal: String, interval: Double) {
        self.principal = principal
        self.interval = interval
    }
}

/// What those who share it see of each fix.
enum View: Hashable {
    case nothing
    /// Every fix as it is.
    case full
    /// Full fixes, but not all.
    case paced(Pace)
    case reduced(Pace?)
}
