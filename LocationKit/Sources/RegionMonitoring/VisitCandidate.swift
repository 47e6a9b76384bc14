@_spi(Programs) import LocationModel

/// The last minutes at a place that may become a visit, divided into slots, each the cluster of its fixes; sixteen at
/// most.
struct VisitCandidate: Sendable {
    private var slots: [Slot]
    private var latest: FixSample

    private struct Slot: Sendable {
        let begin: BootInstant
        /// The receiver's UTC of its first fix that has one.
        var firstTime: UTCTime?
        var cluster: FixCluster
        /// That of its first fix, metres.
        let uncertainty: Double

        init(_ sample: FixSample) {
            begin = sample.time
            firstTime = sample.timestamp
            cluster = sample.cluster
            uncertainty = sample.uncertainty
        }
    }

    /// The length of a slot, seconds.
    private static let slotLength = 20.0
    /// The fewest slots: fixes at the two ends alone do not show where the machine was between.
    private static let fewestSlots = 3
    /// Seconds without a fix after which the fixes before no longer count.
    private static let longestGap = 600.0

    init(_ sample: FixSample) {
        slots = [Slot(sample)]
        latest = sample
    }

    /// True if the fix may be at the same place as the ones before.
    func holds(_ sample: FixSample) -> Bool {
        guard !sample.isMoving, let last = slots.last, sample.time.seconds(since: latest.time) <= Self.longestGap
        else { return false }
        return !isFar(last, from: sample)
    }

    /// Adds a fix that ``holds(_:)`` accepts, and removes slots from which the machine has moved on since.
    mutating func add(_ sample: FixSample) {
        latest = sample
        if let last = slots.indices.last, sample.time.seconds(since: slots[last].begin) < Self.slotLength {
            slots[last].cluster.add(sample.cluster)
            slots[last].firstTime = slots[last].firstTime ?? sample.timestamp
        } else {
            slots.append(Slot(sample))
        }
        if let far = slots.lastIndex(where: { isFar($0, from: sample) }) { slots.removeFirst(far + 1) }
        if slots.isEmpty { slots = [Slot(sample)] }
    }

    /// True once the place has been observed more than once.
    var isSettling: Bool { slots.count > 1 }

    /// True once the machine has been there for long enough.
    var isSettled: Bool { slots.count >= Self.fewestSlots && observed >= VisitTracker.settlingTime }

    /// Seconds from the first fix to the latest.
    private var observed: Double { slots.first.map { latest.time.seconds(since: $0.begin) } ?? 0 }

    /// Seconds, the latest of ``VisitTracker/settlingTime``, in which the machine is certainly where it stays.
    private static let restingTime = VisitTracker.settlingTime / 2

    /// What the visit begins with: the fixes since the machine is where it stays, without those of a slow approach, up
    /// to the length of a slot.
    var settled: (cluster: FixCluster, begin: BootInstant, firstTime: UTCTime?) {
        let isResting = { (slot: Slot) in latest.time.seconds(since: slot.begin) <= Self.restingTime }
        let resting = Self.cluster(slots.filter(isResting)) ?? latest.cluster
        let approach = slots.lastIndex { slot in
            !isResting(slot)
                && resting.middle.distance(to: slot.cluster.middle) > resting.extent + slot.uncertainty
        }
        let stay = slots.dropFirst(approach.map { $0 + 1 } ?? 0)
        return (
            Self.cluster(stay) ?? latest.cluster, stay.first?.begin ?? latest.time,
            stay.lazy.compactMap(\.firstTime).first
        )
    }

    private static func cluster(_ slots: some Collection<Slot>) -> FixCluster? {
        guard var whole = slots.first?.cluster else { return nil }
        for slot in slots.dropFirst() { whole.add(slot.cluster) }
        return whole
    }

    /// The latest fix.
    var last: FixSample { latest }

    private func isFar(_ slot: Slot, from sample: FixSample) -> Bool {
        // The first fix is the farthest one of an approach.
        slot.cluster.middle.distance(to: sample.point) > VisitTracker.arrivalRadius + sample.uncertainty
            || slot.cluster.origin.distance(to: sample.point) > VisitTracker.arrivalRadius + 2 * sample.uncertainty
    }
}
