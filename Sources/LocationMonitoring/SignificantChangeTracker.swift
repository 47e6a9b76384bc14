import LocationModel

/// Whether the machine has really moved since it was told where it is.
struct SignificantChangeTracker: Sendable {
    let request: SignificantChange

    init(_ request: SignificantChange) { self.request = request }

    mutating func take(_ fix: Location) -> Location? { nil }

    func nextFix(at now: BootInstant) -> BootInstant? { nil }
}
