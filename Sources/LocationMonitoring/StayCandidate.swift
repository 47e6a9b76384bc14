import LocationModel

/// The last minutes at a place that may become a visit, each as the cluster of its fixes; seven at most.
struct StayCandidate: Sendable {
    private var minutes: [Minute]
    private var latest: FixSample

    private struct Minute: Sendable {
        let begin: BootInstant
        /// The receiver's UTC of its first fix that has one.
        var firstTime: UTCTime?
        var cluster: FixCluster

        init(_ sample: FixSample) {
            begin = sample.time
            firstTime = sample.timestamp
            cluster = sample.cluster
        }
    }

    /// Seconds of one cluster.
    private static let slot = 20.0
    /// Fixes at the two ends alone do not show where the machine was between.
    private static let fewestSlots = 3
    /// Seconds without a fix after which nothing joins the two ends.
    private static let longestGap = 600.0

    init(_ sample: FixSample) {
        minutes = [Minute(sample)]
        latest = sample
    }

    /// True if the fix may be of the same place as the ones before.
    func holds(_ sample: FixSample) -> Bool {
        guard !sample.isMoving, let last = minutes.last, sample.time.seconds(since: latest.time) <= Self.longestGap
        else { return false }
        return !isFar(last, from: sample)
    }

    /// Counts a fix it holds, and forgets the minutes since which the machine has moved on.
    mutating func add(_ sample: FixSample) {
        latest = sample
        if let last = minutes.indices.last, sample.time.seconds(since: minutes[last].begin) < Self.slot {
            minutes[last].cluster.add(sample.cluster)
            minutes[last].firstTime = minutes[last].firstTime ?? sample.timestamp
        } else {
            minutes.append(Minute(sample))
        }
        if let far = minutes.lastIndex(where: { isFar($0, from: sample) }) { minutes.removeFirst(far + 1) }
        if minutes.isEmpty { minutes = [Minute(sample)] }
    }

    /// True once there is more than one look at the place.
    var isSettling: Bool { minutes.count > 1 }

    /// True once the machine has been there for long enough.
    var isSettled: Bool { minutes.count >= Self.fewestSlots && observed >= VisitTracker.settlingTime }

    /// Seconds from the first fix to the latest.
    private var observed: Double { minutes.first.map { latest.time.seconds(since: $0.begin) } ?? 0 }

    /// All its fixes.
    var cluster: FixCluster {
        var whole = minutes.first?.cluster ?? latest.cluster
        for minute in minutes.dropFirst() { whole.add(minute.cluster) }
        return whole
    }

    var began: BootInstant { minutes.first?.begin ?? latest.time }
    /// The receiver's UTC of the first fix that has one.
    var firstTime: UTCTime? { minutes.lazy.compactMap(\.firstTime).first }
    /// The latest fix.
    var last: FixSample { latest }

    private func isFar(_ minute: Minute, from sample: FixSample) -> Bool {
        // Its first fix is the farthest one of an approach.
        minute.cluster.middle.distance(to: sample.point) > VisitTracker.arrivalRadius + sample.uncertainty
            || minute.cluster.origin.distance(to: sample.point) > VisitTracker.arrivalRadius + 2 * sample.uncertainty
    }
}
