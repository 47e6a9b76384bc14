import LocationModel

/// How often a receiver speaks, learnt from its last gaps.
///
/// The middle one of the last three counts: one long gap is an outage, one short one two reports of an epoch before the
/// receiver has a time; two long ones are a slow receiver.
struct EpochEstimate {
    private var gaps: [Double] = []
    private var lastTime: UTCTime?
    private var lastArrival: BootInstant?

    /// Seconds from one epoch to the next; `nil` until two came.
    var interval: Double? { gaps.isEmpty ? nil : gaps.sorted()[(gaps.count - 1) / 2] }

    /// The time until the next fix is no gap between epochs.
    mutating func pause() {
        lastArrival = nil
    }

    mutating func observe(_ location: Location) {
        if let time = location.timestamp, time == lastTime { return }
        if let lastArrival {
            gaps.append(location.monotonicTime.seconds(since: lastArrival))
            if gaps.count > 3 { gaps.removeFirst() }
        }
        lastArrival = location.monotonicTime
        lastTime = location.timestamp
    }
}
