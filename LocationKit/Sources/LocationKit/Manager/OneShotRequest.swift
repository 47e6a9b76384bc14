@_spi(Programs) import LocationModel

/// A request of the program for one location.
struct OneShotRequest {
    typealias Answer = @Sendable (Result<Location, LocationError>) -> Void

    let id: Int
    /// Metres; `nil` accepts the first location.
    let desiredAccuracy: Double?
    /// Older locations are not new enough.
    let earliest: BootInstant
    /// When the request times out; `nil` for never.
    let deadline: BootInstant?
    /// `nil` for a refresh, whose location goes to the observers.
    let answer: Answer?
    /// The most accurate location that did not meet the request.
    var best: Location?
    /// Whether the service was connected at any time since the request began.
    var wasConnected = false
    /// True while the last known location is fetched; after that the request waits for a new one.
    var isFetchingLast = false
    /// The call that fetches the last known location.
    var call: (any CancellableCall)?

    init(id: Int, desiredAccuracy: Double?, earliest: BootInstant, deadline: BootInstant?, answer: Answer?) {
        self.id = id
        self.desiredAccuracy = desiredAccuracy
        self.earliest = earliest
        self.deadline = deadline
        self.answer = answer
    }

    /// What is predicted is where the machine may be, and no answer.
    func accepts(_ location: Location) -> Bool {
        location.basis != .predicted
            && LocationFilter(requiredAccuracy: desiredAccuracy).acceptsAccuracy(of: location)
    }

    /// Remembers a location that does not meet the request if it is the best so far; of two equal ones the newer is
    /// better.
    mutating func consider(_ location: Location) {
        guard location.basis != .predicted else { return }
        let accuracy = location.horizontalAccuracy ?? .infinity
        if accuracy <= best?.horizontalAccuracy ?? .infinity { best = location }
    }
}
