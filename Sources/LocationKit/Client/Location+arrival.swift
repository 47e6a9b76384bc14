import LocationModel

extension Location {
    /// The same, arrived by now: one that claims to be of the future would be young, and no later one new, until then.
    func arrived(by now: BootInstant) -> Location {
        var location = self
        location.monotonicTime = min(monotonicTime, now)
        return location
    }
}
