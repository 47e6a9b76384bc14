@_spi(Programs) package import LocationModel
@_spi(Programs) package import SystemSupport

/// Plays a recording as if it were happening now, with every location marked as replayed.
///
/// The first entry is delivered at once and the others with the recording's spacing. A location keeps its timestamp,
/// its receiver and whether it was simulated; it gets this source's name and a new moment of arrival.
package struct ReplaySource: LocationSource {
    package let name: String
    private let path: String
    private let speed: Double
    private let loops: Bool
    private let clock: ServiceClock

    private static let retryInterval = 30.0  // seconds

    /// - Parameters:
    ///   - name: The source's name in the configuration.
    ///   - path: The recording, a regular file.
    ///   - speed: The factor of the playback speed, clamped to 0.01...1000; NaN is 1.
    ///   - loops: Whether it restarts for ever, one second of recording time after its end.
    package init(name: String, path: String, speed: Double = 1, loops: Bool = false, clock: ServiceClock) {
        self.name = name
        self.path = path
        self.speed = speed
        self.loops = loops
        self.clock = clock
    }

    /// Plays; after the end it reports that and waits. A file that cannot be read is retried every 30 s from its
    /// beginning, so that it can be provided or corrected meanwhile.
    package func run(deliver: @escaping @Sendable (SourceEvent) -> Void) async {
        var playback = Playback(name: name, speed: speed)
        while !Task.isCancelled {
            do {
                let remark = try await play(&playback, deliver: deliver)
                guard loops else {
                    deliver(.condition(.connected(reason: "the recording \(path) has ended\(remark)")))
                    return await clock.sleepForEver()
                }
                playback.pace.beginAgain()
            } catch let error as RecordingError {
                deliver(.condition(.unavailable(reason: "the recording \(path) cannot be played: \(error)")))
                do {
                    try await clock.sleep(until: clock.now().advanced(bySeconds: Self.retryInterval))
                } catch {
                    return
                }
                playback = Playback(name: name, speed: speed)
            } catch {
                return
            }
        }
    }

    /// Plays once.
    /// - Returns: a remark on the end, to be added to a sentence.
    /// - Throws: ``RecordingError``, or `CancellationError`.
    private func play(
        _ playback: inout Playback, deliver: @Sendable (SourceEvent) -> Void
    ) async throws -> String {
        var reader = try RecordingReader(path: path)
        if !playback.isAnnounced {
            playback.isAnnounced = true
            deliver(.condition(.connected(reason: nil)))
        }
        var isEmpty = true
        while let entry = try reader.next() {
            if case .status = entry.content { continue }
            isEmpty = false
            try await clock.sleep(until: playback.pace.due(entry.at, now: clock.now()))
            if let event = playback.event(for: entry.content, now: clock.now()) { deliver(event) }
        }
        // Looping over it would be a busy loop.
        if isEmpty { throw RecordingError.nothingToPlay }
        return reader.isTruncated ? "; its last line is cut off" : ""
    }
}

/// The state that lasts from one pass through the recording to the next.
private struct Playback {
    var pace: ReplayPace
    var isAnnounced = false
    private let name: String
    /// A recording names the receiver with locations only; adjacent satellites and headings are attributed to the same
    /// one.
    private var device: String?

    init(name: String, speed: Double) {
        self.name = name
        pace = ReplayPace(speed: speed)
    }

    mutating func event(for content: RecordingEntry.Content, now: BootInstant) -> SourceEvent? {
        switch content {
        case .location(var location):
            device = location.source.device
            location.source.name = name
            location.source.method = .replayed
            location.implausibility = nil
            location.monotonicTime = now
            location.sequence = 0
            return .fix(location)
        case .satellites(let satellites): return .satellites(satellites, device: device, at: now)
        case .heading(let heading): return .heading(heading, device: device, at: now)
        case .status: return nil
        }
    }
}

/// When each entry of a recording is due: the recording's spacing, divided by the speed.
package struct ReplayPace: Sendable {
    private let speed: Double
    /// One entry's time in the recording and on the clock, to which all others are relative.
    private var anchor: (at: Double, moment: BootInstant)?
    private var lastDue: BootInstant?

    /// - Parameter speed: Clamped to 0.01...1000; NaN is 1.
    package init(speed: Double) {
        self.speed = speed.isNaN ? 1 : max(0.01, min(1000, speed))
    }

    /// The moment for the entry at `at` seconds of the recording. The first one is due at once.
    ///
    /// If that moment is more than a second in the past, as after suspend, the entry is due now and the others follow
    /// with their spacing instead of all at once.
    package mutating func due(_ at: Double, now: BootInstant) -> BootInstant {
        let first = lastDue.map { $0.advanced(bySeconds: 1 / speed) } ?? now
        let planned = anchor.map { $0.moment.advanced(bySeconds: (at - $0.at) / speed) } ?? first
        let isLate = now.seconds(since: planned) > 1
        let due = isLate ? now : planned
        if anchor == nil || isLate { anchor = (at, due) }
        lastDue = due
        return due
    }

    /// Restarts: the next entry is the recording's first again, due one second of recording time after the last one.
    package mutating func beginAgain() {
        anchor = nil
    }
}

/// The driving schedule of a careful driver, for one lap: from standing to standing, slower in bends, with stops.
struct Timetable: Sendable {
    /// Metres from the road's beginning, and metres per second.
    struct Progress {
        var distance: Double
        var speed: Double
    }

    /// A period of constant acceleration.
    private struct Leg {
        var time: Double
        var distance: Double
        var speed: Double
        var acceleration: Double
    }

    private var legs: [Leg] = []
    /// Seconds per lap; infinite if nothing moves.
    private(set) var duration = 0.0

    private static let acceleration = 1.2  // m/s², an unhurried car
    private static let braking = 1.6  // m/s²
    private static let sideways = 2.0  // m/s², comfortable in a bend
    private static let standing = 0.1  // m/s, slower than this is not driving

    /// - Parameter speed: The driver's target speed on a straight, metres per second.
    init(road: Road, speed: Double, using generator: inout SeededGenerator) {
        guard speed >= Self.standing else {
            legs = [Leg(time: 0, distance: 0, speed: 0, acceleration: 0)]
            duration = .infinity
            return
        }
        let limits = road.pieces.map { piece in
            guard piece.curvature != 0 else { return speed * generator.number(in: 0.8...1) }
            return min(speed, (Self.sideways / abs(piece.curvature)).squareRoot())
        }
        // A stop may be at the end of a straight, never within a bend.
        let stops = road.pieces.map { $0.curvature == 0 && generator.number(in: 0...1) < 0.3 }
        let speeds = Self.speedsBetweenPieces(of: road, limits: limits, stops: stops)
        var end = 3.0
        legs = [Leg(time: 0, distance: 0, speed: 0, acceleration: 0)]
        for (index, piece) in road.pieces.enumerated() {
            end = add(piece, from: speeds[index], limit: limits[index], to: speeds[index + 1], at: end)
            if stops[index] {
                legs.append(Leg(time: end, distance: piece.start + piece.length, speed: 0, acceleration: 0))
                end += generator.number(in: 5...25)
            }
        }
        duration = end
    }

    /// The position and speed after the given seconds, 0..<`duration`.
    func progress(at seconds: Double) -> Progress {
        guard let leg = legs.last(where: { $0.time <= seconds }) else { return Progress(distance: 0, speed: 0) }
        let elapsed = leg.speed == 0 && leg.acceleration == 0 ? 0 : seconds - leg.time
        return Progress(
            distance: leg.distance + (leg.speed + leg.acceleration * elapsed / 2) * elapsed,
            speed: max(0, leg.speed + leg.acceleration * elapsed))
    }

    /// The highest speeds at the pieces' ends from which every limit ahead can be met by braking, and which can be
    /// reached by accelerating.
    private static func speedsBetweenPieces(of road: Road, limits: [Double], stops: [Bool]) -> [Double] {
        let count = road.pieces.count
        var speeds = (0...count).map { node in
            node == 0 || node == count || stops[node - 1] ? 0 : min(limits[node - 1], limits[node])
        }
        for node in (0..<count).reversed() {
            let reach = (speeds[node + 1] * speeds[node + 1] + 2 * braking * road.pieces[node].length).squareRoot()
            speeds[node] = min(speeds[node], reach)
        }
        for node in 0..<count {
            let reach = (speeds[node] * speeds[node] + 2 * acceleration * road.pieces[node].length).squareRoot()
            speeds[node + 1] = min(speeds[node + 1], reach)
        }
        return speeds
    }

    /// Drives over one piece: accelerates, holds the speed, brakes. Returns when its end is reached.
    private mutating func add(
        _ piece: Road.Piece, from entry: Double, limit: Double, to exit: Double, at time: Double
    ) -> Double {
        let (gain, loss) = (Self.acceleration, Self.braking)
        let meeting = (2 * gain * loss * piece.length + loss * entry * entry + gain * exit * exit) / (gain + loss)
        let top = max(entry, exit, min(limit, meeting.squareRoot()))
        let faster = (top * top - entry * entry) / (2 * gain)
        let slower = (top * top - exit * exit) / (2 * loss)
        let steady = max(0, piece.length - faster - slower)
        var time = time
        legs.append(Leg(time: time, distance: piece.start, speed: entry, acceleration: gain))
        time += (top - entry) / gain
        legs.append(Leg(time: time, distance: piece.start + faster, speed: top, acceleration: 0))
        time += steady / top
        legs.append(Leg(time: time, distance: piece.start + faster + steady, speed: top, acceleration: -loss))
        time += (top - exit) / loss
        return time
    }
}
