/// When a careful driver is where on a road, once around: from standing to standing, slower in bends, with stops.
struct Timetable: Sendable {
    /// How far along the road and how fast: metres from its beginning, metres per second.
    struct Progress {
        var distance: Double
        var speed: Double
    }

    /// A stretch of time with one acceleration.
    private struct Leg {
        var time: Double
        var distance: Double
        var speed: Double
        var acceleration: Double
    }

    private var legs: [Leg] = []
    /// Seconds once around; infinite if nothing moves.
    private(set) var duration = 0.0

    private static let acceleration = 1.2  // m/s², an unhurried car
    private static let braking = 1.6  // m/s²
    private static let sideways = 2.0  // m/s², comfortable in a bend
    private static let standing = 0.1  // m/s, slower than this is not driving

    /// - Parameter speed: What the driver aims at on a straight, metres per second.
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
        // A crossing may be at the end of a straight, never within a bend.
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

    /// Where the vehicle is after so many seconds, 0..<`duration`.
    func progress(at seconds: Double) -> Progress {
        guard let leg = legs.last(where: { $0.time <= seconds }) else { return Progress(distance: 0, speed: 0) }
        let elapsed = leg.speed == 0 && leg.acceleration == 0 ? 0 : seconds - leg.time
        return Progress(
            distance: leg.distance + (leg.speed + leg.acceleration * elapsed / 2) * elapsed,
            speed: max(0, leg.speed + leg.acceleration * elapsed))
    }

    /// The highest speeds at the pieces' ends from which every limit ahead can be met by braking, and that can be
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

    /// Drives over one piece: faster, steady, slower. Returns when its end is reached.
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
