package import LocationModel

/// Whether the machine stays somewhere, and since when.
struct VisitTracker: Sendable {
    private var kept: VisitMemory?

    init(_ memory: VisitMemory?) { kept = memory }

    var memory: VisitMemory? { kept }

    mutating func take(_ fix: Location) -> [Visit] { [] }

    func nextFix(at now: BootInstant) -> BootInstant? { nil }
}

/// The stay that was going on.
package struct VisitMemory: Sendable, Hashable, Codable {
    package var visit: Visit

    package init(visit: Visit) { self.visit = visit }
}
