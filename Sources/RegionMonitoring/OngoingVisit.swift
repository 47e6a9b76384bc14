import Geodesy
package import LocationModel

/// A visit that lasts.
struct OngoingVisit: Sendable {
    private var cluster: FixCluster
    private let arrival: UTCTime?
    /// The receiver's UTC of the last fix at the place that has one.
    private var lastTime: UTCTime?
    /// When this process saw the first and the last fix at the place.
    private var began: BootInstant?
    private var latest: BootInstant?
    /// The middle to use if the cluster has no valid one.
    private let fallback: Coordinate

    init(_ candidate: VisitCandidate) {
        // Measured from the middle, the extent grows less than measured from the first fix.
        let arrived = candidate.cluster
        cluster = FixCluster(arrived.middle, radius: arrived.radius, count: arrived.count)
        arrival = candidate.firstTime
        lastTime = candidate.last.timestamp ?? arrival
        began = candidate.began
        latest = candidate.last.time
        fallback = candidate.last.coordinate
    }

    init(_ memory: VisitMemory) {
        let visit = memory.visit
        cluster = FixCluster(
            SurfacePoint(visit.coordinate), radius: max(0, visit.horizontalAccuracy), count: memory.fixes)
        arrival = visit.arrival
        lastTime = memory.lastFix
        fallback = visit.coordinate
    }

    func holds(_ sample: FixSample) -> Bool {
        cluster.middle.distance(to: sample.point) <= VisitTracker.departureRadius + sample.uncertainty
    }

    mutating func add(_ sample: FixSample) {
        cluster.add(sample.cluster)
        lastTime = sample.timestamp ?? lastTime
        began = began ?? sample.time
        latest = sample.time
    }

    /// Seconds from the first fix to the last, as far as this process saw them.
    var observed: Double {
        guard let began, let latest else { return 0 }
        return latest.seconds(since: began)
    }

    /// - Parameter isPresent: false once it is over.
    func visit(isPresent: Bool) -> Visit {
        Visit(
            coordinate: cluster.middle.coordinate ?? fallback, horizontalAccuracy: cluster.radius, arrival: arrival,
            departure: isPresent ? nil : lastTime, isPresent: isPresent)
    }

    var memory: VisitMemory {
        VisitMemory(visit: visit(isPresent: true), fixes: cluster.count, lastFix: lastTime)
    }
}

/// The visit that was going on.
package struct VisitMemory: Sendable, Hashable, Codable {
    /// The visit as it would be reported now.
    package var visit: Visit
    /// How many fixes its middle is the mean of.
    package var fixes: Double
    /// The receiver's UTC of the last of them, which becomes the departure if the next fix is elsewhere.
    package var lastFix: UTCTime?

    package init(visit: Visit, fixes: Double = 1, lastFix: UTCTime? = nil) {
        self.visit = visit
        self.fixes = fixes
        self.lastFix = lastFix
    }
}
