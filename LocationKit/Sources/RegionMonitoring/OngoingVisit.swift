@_spi(Programs) public import LocationModel

/// A visit that lasts.
///
/// A fix that is faster than a stay, or farther from the middle than those of the place and its own uncertainty, is
/// part of an ``Excursion``, which may be the way out: it belongs to the visit only once the machine is back at the
/// place, or stands where it is. So the departure, the middle and the radius are those of the place, however far the
/// machine is when it is known to have left.
struct OngoingVisit: Sendable {
    private var cluster: FixCluster
    /// Metres around the middle within which the machine is at the place. It does not grow with the fixes that it
    /// admits, which would follow a machine that leaves slowly, but with the excursions that belong to the visit.
    private var extent: Double
    private var excursion: Excursion?
    private let arrival: UTCTime?
    /// The receiver's UTC of the last fix at the place that has one.
    private var lastTime: UTCTime?
    /// When this process saw the first and the last fix of the visit.
    private var began: BootInstant?
    private var latest: BootInstant?
    /// The middle to use if the cluster has no valid one.
    private let fallback: Coordinate

    init(_ candidate: VisitCandidate) {
        // Measured from the middle, the extent grows less than measured from the first fix.
        let arrived = candidate.settled
        cluster = FixCluster(
            arrived.cluster.middle, radius: arrived.cluster.radius, extent: arrived.cluster.extent,
            count: arrived.cluster.count)
        extent = arrived.cluster.extent
        arrival = arrived.firstTime
        lastTime = candidate.last.timestamp ?? arrival
        began = arrived.begin
        latest = candidate.last.time
        fallback = candidate.last.coordinate
    }

    init(_ memory: VisitMemory) {
        let visit = memory.visit
        let radius = max(0, visit.horizontalAccuracy)
        extent = memory.extent ?? radius
        cluster = FixCluster(SurfacePoint(visit.coordinate), radius: radius, extent: extent, count: memory.fixes)
        arrival = visit.arrival
        lastTime = memory.lastFix
        fallback = visit.coordinate
    }

    /// Whether the visit goes on with the fix: it is at the place, or on an excursion.
    func holds(_ sample: FixSample) -> Bool {
        cluster.middle.distance(to: sample.point) <= VisitTracker.departureRadius + sample.uncertainty
    }

    /// Whether the machine may be on its way out.
    var isOnExcursion: Bool { excursion != nil }

    mutating func add(_ sample: FixSample) {
        began = began ?? sample.time
        latest = sample.time
        if !sample.isMoving, cluster.middle.distance(to: sample.point) <= extent + sample.uncertainty {
            endExcursion()
            cluster.add(sample.cluster)
            lastTime = sample.timestamp ?? lastTime
            return
        }
        excursion?.add(sample)
        if excursion == nil { excursion = Excursion(sample) }
        if excursion?.stands == true { endExcursion() }
    }

    /// The machine is back, or stands where it is: the place is so large.
    private mutating func endExcursion() {
        guard let excursion else { return }
        self.excursion = nil
        cluster.add(excursion.cluster)
        extent = max(extent, cluster.extent)
        lastTime = excursion.lastTime ?? lastTime
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
        VisitMemory(visit: visit(isPresent: true), fixes: cluster.count, lastFix: lastTime, extent: extent)
    }
}

/// Fixes of a visit that are away from its place, of which it is not yet known whether the machine leaves.
private struct Excursion {
    private(set) var cluster: FixCluster
    /// The receiver's UTC of the last fix that has one.
    private(set) var lastTime: UTCTime?
    /// Whether the machine has stood for ``standingTime``, wherever it was.
    private(set) var stands = false
    /// The fix from which it is judged whether the machine stands.
    private var reference: FixSample

    /// Seconds.
    private static let standingTime = 60.0
    /// Metres in that time, beside the accuracy: 0.25 m/s, half of what is too fast for the beginning of a visit.
    private static let standingDistance = 15.0

    init(_ sample: FixSample) {
        (cluster, lastTime, reference) = (sample.cluster, sample.timestamp, sample)
    }

    mutating func add(_ sample: FixSample) {
        cluster.add(sample.cluster)
        lastTime = sample.timestamp ?? lastTime
        let isNear =
            reference.point.distance(to: sample.point) <= Self.standingDistance + sample.uncertainty
            && !sample.isMoving
        if isNear {
            stands = sample.time.seconds(since: reference.time) >= Self.standingTime
        } else {
            reference = sample
        }
    }
}

/// The visit that was going on.
@_spi(Programs) public struct VisitMemory: Sendable, Hashable, Codable {
    /// The visit as it would be reported now.
    @_spi(Programs) public var visit: Visit
    /// How many fixes its middle is the mean of.
    @_spi(Programs) public var fixes: Double
    /// The receiver's UTC of the last of them, which becomes the departure if the next fix is elsewhere.
    @_spi(Programs) public var lastFix: UTCTime?
    /// Metres around the middle within which the machine was at the place; `nil` if an earlier version has stored it.
    @_spi(Programs) public var extent: Double?

    @_spi(Programs) public init(visit: Visit, fixes: Double = 1, lastFix: UTCTime? = nil, extent: Double? = nil) {
        self.visit = visit
        self.fixes = fixes
        self.lastFix = lastFix
        self.extent = extent
    }
}
