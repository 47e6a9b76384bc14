@_spi(Programs) package import LocationModel

/// A pending request for one location; the caller chooses the number.
package struct RequestID: Sendable, Hashable {
    package let number: Int
    package init(number: Int) { self.number = number }
}

/// How a request for one location ended.
package enum LocationAnswer: Sendable, Equatable {
    case location(Location)
    /// The service is switched off.
    case disabled
    /// No suitable location came in time; the best that did.
    case timedOut(best: Location?)
    /// The receivers cannot be reached.
    case unavailable(reason: String, best: Location?)

    /// The location in the answer, even one that was not good enough.
    package var location: Location? {
        switch self {
        case .location(let location): location
        case .timedOut(let best), .unavailable(_, let best): best
        case .disabled: nil
        }
    }
}

/// A request that waits for a fix.
struct PendingRequest {
    let request: LocationRequest
    /// The view it has of each fix.
    private(set) var view: View
    let deadline: BootInstant
    /// The most accurate fix so far that was not good enough.
    var best: Location?

    /// Changes the view; a location seen in another view is no answer any more.
    mutating func permit(_ view: View) {
        guard view != self.view else { return }
        self.view = view
        best = nil
    }

    /// Applies a fix.
    /// - Returns: true if it satisfies the request.
    mutating func isSatisfied(by location: Location) -> Bool {
        if request.accepts(location) { return true }
        let accuracy = location.horizontalAccuracy ?? .infinity
        if accuracy <= best?.horizontalAccuracy ?? .infinity { best = location }
        return false
    }
}
