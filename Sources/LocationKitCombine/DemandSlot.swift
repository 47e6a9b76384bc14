import OpenCombine

/// What a subscriber wants and what waits for it. One value waits at most: a newer one takes its place.
struct DemandSlot<Value: Sendable & Equatable>: Sendable {
    /// Whether a value equal to the last one taken is left out.
    let skipsRepetitions: Bool
    private var demand = Subscribers.Demand.none
    private var waiting: Value?
    private var last: Value?
    private var isBusy = false

    init(skipsRepetitions: Bool) {
        self.skipsRepetitions = skipsRepetitions
    }

    mutating func want(_ more: Subscribers.Demand) {
        demand += more
    }

    mutating func put(_ value: Value) {
        waiting = value
    }

    /// - Returns: what is to be handed over now; ``finish(_:)`` has to follow. `nil` while the subscriber is busy, wants
    ///   nothing, or nothing waits.
    mutating func take() -> Value? {
        guard !isBusy, demand > .none, let value = waiting else { return nil }
        waiting = nil
        if skipsRepetitions {
            guard value != last else { return nil }
            last = value
        }
        demand -= 1
        isBusy = true
        return value
    }

    /// The subscriber has what was taken, and wants so many more.
    mutating func finish(_ more: Subscribers.Demand) {
        isBusy = false
        demand += more
    }
}
