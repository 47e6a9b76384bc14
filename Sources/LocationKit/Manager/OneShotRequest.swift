import LocationModel

/// A one-shot request of the program that waits for its location.
struct OneShotRequest {
    typealias Answer = @Sendable (Result<Location, LocationError>) -> Void

    let id: Int
    /// Metres; `nil` takes the first location.
    let desiredAccuracy: Double?
    /// Only what arrived after that is new enough.
    let earliest: BootInstant
    /// When it is given up; `nil` for never.
    let deadline: BootInstant?
    /// `nil` for a refreshing, which is for those who observe.
    let answer: Answer?
    /// The most accurate one that was not good enough.
    var best: Location?
    /// Whether the service was connected at any time since the request began.
    var hasHeard = false
    /// True while the last known location is asked for; a new one is waited for after that.
    var isAskingLast = false
    /// The asking for the last known location.
    var call: (any CancellableCall)?

    init(id: Int, desiredAccuracy: Double?, earliest: BootInstant, deadline: BootInstant?, answer: Answer?) {
        self.id = id
        self.desiredAccuracy = desiredAccuracy
        self.earliest = earliest
        self.deadline = deadline
        self.answer = answer
    }

    func accepts(_ location: Location) -> Bool {
        LocationFilter(requiredAccuracy: desiredAccuracy).acceptsAccuracy(of: location)
    }

    /// Remembers a location that is not good enough, if it is the best so far; a newer one is better than an equal.
    mutating func consider(_ location: Location) {
        let accuracy = location.horizontalAccuracy ?? .infinity
        if accuracy <= best?.horizontalAccuracy ?? .infinity { best = location }
    }
}
