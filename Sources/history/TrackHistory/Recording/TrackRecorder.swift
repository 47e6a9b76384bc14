@_spi(Programs) package import LocationModel
@_spi(Programs) package import RegionMonitoring

/// Turns the locations of a machine into a track: points, and the trips, stays and gaps that they make.
///
/// - A stay is a visit (``Visit``), and a trip is what lies between two stays. A trip ends, too, with a gap of
///   ``Settings/tripGap``.
/// - During a stay one location is kept each ``Settings/stayInterval`` while the machine is at its place, and the last
///   before it leaves that, with which the next trip begins.
/// - A gap is a time of ``Settings/gap`` and more without a location, unless the machine stays where it was.
/// - A pause of the recording ends the trip or the stay, and is a gap however short.
///
/// It knows no clock and does no I/O.
package struct TrackRecorder: Sendable {
    package struct Settings: Sendable, Hashable {
        package var thinning = TrackThinning.Settings()
        /// Seconds between two kept locations during a stay.
        package var stayInterval = 300.0
        /// Seconds without a location that are a gap.
        package var gap = 120.0
        /// Seconds without a location that end a trip.
        package var tripGap = 1800.0
        /// Whether simulated and replayed locations are recorded.
        package var includesSimulated = false
        package init() {}
    }

    /// What a file knows of the track's end.
    package struct Memory: Sendable, Hashable {
        package var last: TrackPoint?
        package var isOnTrip = false
        package var stay: Visit?
        package var visit: VisitMemory?
        /// Whether recording was paused after the last location.
        package var isInterrupted = false
        package init() {}
    }

    private let settings: Settings
    private var thinning: TrackThinning
    private var visits: VisitTracker
    private var last: TrackPoint?
    /// The last location that was kept during the stay.
    private var lastOfStay: TrackPoint?
    private var stay: Visit?
    private var isOnTrip: Bool
    /// Whether recording was paused after the last location.
    private var isInterrupted: Bool
    private var maximumSpeed: Double?
    /// Locations that were not recorded, because they are simulated.
    package private(set) var simulated = 0

    /// - Parameter memory: of the file that the track is written to.
    package init(_ settings: Settings, after memory: Memory = Memory()) {
        self.settings = settings
        thinning = TrackThinning(settings.thinning)
        visits = VisitTracker(memory.visit, settings: MonitorSettings())
        (last, isOnTrip, stay) = (memory.last, memory.isOnTrip, memory.stay)
        isInterrupted = memory.isInterrupted
    }

    /// What has to be known to go on with a visit after a restart.
    package var visitMemory: VisitMemory? { visits.memory }

    /// - Parameter now: the machine's UTC.
    package mutating func add(_ location: Location, at now: UTCTime) -> [TrackChange] {
        guard settings.includesSimulated || !(location.source.isSimulated || location.source.isReplayed) else {
            simulated += 1
            return []
        }
        let point = TrackPoint(location, at: now)
        defer { last = point }
        // Stays and trips are of the same time as the points, also where the receiver's is missing or wrong.
        var timed = location
        timed.timestamp = point.time
        let visits = visits.applyFix(timed)
        var changes: [TrackChange] = []
        let isResting = isResting(at: point)
        if !isResting { keepLastOfRest(&changes) }
        let isBreak = endSilence(before: point, &changes)
        if !isResting || isBreak || isDue(point) {
            let isRedundant = thinning.add(point, isBreak: isBreak || isResting)
            if isRedundant { changes.append(.removePrevious) }
            changes.append(.add(point))
            lastOfStay = point
        }
        if !isOnTrip, stay == nil { beginTrip(point.time, &changes) }
        maximumSpeed = [maximumSpeed, location.speed].compactMap(\.self).max()
        for visit in visits { apply(visit, point, &changes) }
        return changes
    }

    /// Recording is paused: what the machine does from here on is not known.
    package mutating func interrupt() -> [TrackChange] {
        var changes: [TrackChange] = []
        if let last, isOnTrip { endTrip(last.time, &changes) }
        if var stay {
            (stay.departure, stay.isPresent) = (last?.time, false)
            changes.append(.endStay(stay))
        }
        visits = VisitTracker(nil, settings: MonitorSettings())
        (stay, lastOfStay, isInterrupted) = (nil, nil, true)
        return changes
    }

    /// The machine may be leaving: the location before, from which its way begins, is part of the track.
    private mutating func keepLastOfRest(_ changes: inout [TrackChange]) {
        guard let last, let lastOfStay, last != lastOfStay else { return }
        _ = thinning.add(last, isBreak: true)
        changes.append(.add(last))
    }

    /// - Returns: whether there was no location for so long that the track is interrupted.
    private mutating func endSilence(before point: TrackPoint, _ changes: inout [TrackChange]) -> Bool {
        guard let last else { return false }
        defer { isInterrupted = false }
        let silence = point.time.seconds(since: last.time)
        // A clock that was set back: what comes is a new beginning.
        guard silence >= 0 else { return true }
        guard isInterrupted || silence >= settings.gap && !isAtStay(point) else { return false }
        changes.append(.addGap(from: last, to: point))
        if isOnTrip, silence >= settings.tripGap { endTrip(last.time, &changes) }
        return true
    }

    /// Whether the machine stands at the place of the stay, and is not on a way that may lead out.
    private func isResting(at point: TrackPoint) -> Bool {
        isAtStay(point) && visits.isAtPlace
    }

    private func isAtStay(_ point: TrackPoint) -> Bool {
        guard let stay, (point.location.speed ?? 0) <= VisitTracker.standingSpeed else { return false }
        let distance = SurfacePoint(stay.coordinate.geodetic).distance(
            to: SurfacePoint(point.location.coordinate.geodetic))
        return distance <= VisitTracker.departureRadius
    }

    private func isDue(_ point: TrackPoint) -> Bool {
        guard let lastOfStay else { return true }
        return point.time.seconds(since: lastOfStay.time) >= settings.stayInterval
    }

    private mutating func apply(_ visit: Visit, _ point: TrackPoint, _ changes: inout [TrackChange]) {
        if visit.isPresent {
            if isOnTrip { endTrip(visit.arrival ?? point.time, &changes) }
            stay = visit
            changes.append(.beginStay(visit))
        } else {
            stay = nil
            changes.append(.endStay(visit))
            beginTrip(visit.departure ?? point.time, &changes)
        }
    }

    private mutating func beginTrip(_ time: UTCTime, _ changes: inout [TrackChange]) {
        isOnTrip = true
        maximumSpeed = nil
        changes.append(.beginTrip(time))
    }

    private mutating func endTrip(_ time: UTCTime, _ changes: inout [TrackChange]) {
        changes.append(.endTrip(time, maximumSpeed: maximumSpeed))
        (isOnTrip, maximumSpeed) = (false, nil)
    }
}
