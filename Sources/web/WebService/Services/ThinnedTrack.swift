@_spi(Programs) import LocationInterface

/// A track for a map, of which no more points are kept than one can show: every second, every fourth and so on of a
/// long one.
///
/// The points before and after each gap, the first and the last are kept as long as there is room, so that no line is
/// drawn where nothing was recorded. Pure.
struct ThinnedTrack {
    /// Points of the answer at most; twice as many are kept meanwhile.
    let limit: Int
    /// Points of the track so far.
    private(set) var total = 0
    /// The ordinal numbers are those of the track.
    private var kept: [(ordinal: Int, point: TrackReply.Point)] = []
    private var stride = 1
    /// The newest, if it is not kept.
    private var pending: (ordinal: Int, point: TrackReply.Point)?

    /// - Parameter limit: 4 or more.
    init(limit: Int = 10_000) { self.limit = max(4, limit) }

    mutating func append(_ point: TrackReply.Point) {
        defer { total += 1 }
        var point = point
        if point.afterGap == true {
            if let end = pending { kept.append(end) }
        } else if pending?.point.afterGap == true {
            point.afterGap = true
        }
        if point.afterGap == true || total.isMultiple(of: stride) {
            kept.append((total, point))
            pending = nil
        } else {
            pending = (total, point)
        }
        if kept.count >= 2 * limit { thin() }
    }

    /// The points, and whether there are fewer than in the track.
    mutating func finish() -> (points: [TrackReply.Point], isThinned: Bool) {
        while kept.count + (pending == nil ? 0 : 1) > limit { thin() }
        if let pending { kept.append(pending) }
        pending = nil
        return (kept.map(\.point), kept.count < total)
    }

    private mutating func thin() {
        // No track is as long, but a track of gaps may come here often.
        stride = min(2 * stride, 1 << 40)
        let (points, stride) = (kept, stride)
        keepPoints { index in
            points[index].ordinal.isMultiple(of: stride) || points[index].point.afterGap == true
                || index + 1 < points.count && points[index + 1].point.afterGap == true
        }
        // A track of gaps, whose ends have no room.
        if kept.count > points.count * 3 / 4 { keepPoints { $0.isMultiple(of: 2) } }
    }

    /// A point that is left out leaves its gap to the next one that is not.
    private mutating func keepPoints(where isKept: (Int) -> Bool) {
        var (result, isAfterGap) = ([(ordinal: Int, point: TrackReply.Point)](), false)
        result.reserveCapacity(kept.count)
        for (index, entry) in kept.enumerated() {
            isAfterGap = isAfterGap || entry.point.afterGap == true
            guard isKept(index) else { continue }
            var entry = entry
            entry.point.afterGap = isAfterGap ? true : nil
            isAfterGap = false
            result.append(entry)
        }
        // The newest is the end of the track, or of what is before a gap.
        if pending == nil, let newest = kept.last, result.last?.ordinal != newest.ordinal {
            pending = newest
            if isAfterGap { pending?.point.afterGap = true }
        }
        kept = result
    }
}
