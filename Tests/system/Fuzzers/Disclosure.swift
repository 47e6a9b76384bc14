/// What of a reply, or of an error's parameters, tells where the machine is.
struct Disclosure: Decodable {
    struct Position: Decodable {
        let latitude: Double
        let speed, course, altitude, climb, ellipsoidalAltitude, verticalAccuracy: Double?

        var isRough: Bool {
            [speed, course, altitude, climb, ellipsoidalAltitude, verticalAccuracy].allSatisfy { $0 == nil }
        }
    }
    private struct Report: Decodable { let location: Position? }
    private struct Monitor: Decodable { let reports: [Report] }
    private struct Anything: Decodable {}

    private let location, best, visit: Position?
    private let region: Report?
    private let monitors: [Monitor]?
    private let heading: Anything?
    private let satellites: [Anything]?

    var positions: [Position] {
        [location, best, region?.location, visit].compactMap(\.self)
            + (monitors ?? []).flatMap { $0.reports.compactMap(\.location) }
    }

    /// Whether it tells what only those are told who may know everything.
    var hasOthers: Bool { heading != nil || satellites != nil }
}
