import Foundation
@_spi(Programs) import LocationModel
import TestSupport
import Testing

/// The surroundings of a place as a plane, which is true to some metres at 20 km.
struct Plane {
    /// Metres from the origin.
    struct Point: Hashable {
        var east: Double
        var north: Double

        /// The point that divides the way from the origin in the given part, 0...1.
        func part(_ part: Double) -> Point { Point(east: east * part, north: north * part) }
    }

    let origin: Coordinate

    private var metresNorth: Double { 111_200 }
    private var metresEast: Double { 111_400 * cos(origin.latitude * .pi / 180) }

    func location(_ point: Point) throws -> Location {
        var location = try Location.bare()
        location.coordinate = try #require(
            Coordinate(
                latitude: origin.latitude + point.north / metresNorth,
                longitude: (origin.longitude + point.east / metresEast).remainder(dividingBy: 360)))
        return location
    }

    func point(_ coordinate: Coordinate) -> Point {
        let east = (coordinate.longitude - origin.longitude).remainder(dividingBy: 360)
        return Point(east: east * metresEast, north: (coordinate.latitude - origin.latitude) * metresNorth)
    }
}

extension SeededGenerator {
    /// A point in any direction, so many metres away.
    mutating func position(within distances: ClosedRange<Double>) -> Plane.Point {
        let distance = Double.random(in: distances, using: &self)
        let angle = Double.random(in: 0..<(2 * .pi), using: &self)
        return Plane.Point(east: distance * sin(angle), north: distance * cos(angle))
    }
}

/// A way straight from home, the origin, to a place and back, at a speed of its own.
struct Trip {
    let goal: Plane.Point
    /// Metres a second.
    let speed: Double

    init(to goal: Plane.Point, using random: inout SeededGenerator) {
        self.goal = goal
        speed = .random(in: 6...20, using: &random)
    }

    /// Where the machine is at the fixes, every ten minutes: the last one at home, those on the way, one at the place,
    /// those on the way back, the first one at home.
    func points(using random: inout SeededGenerator) -> [Plane.Point] {
        let length = hypot(goal.east, goal.north)
        let step = min(1, speed * 600 / length)
        let out = stride(from: Double.random(in: 0..<step, using: &random), to: 1, by: step)
        let back = stride(from: 1 - Double.random(in: 0..<step, using: &random), to: 0, by: -step)
        let parts = [0] + Array(out) + [1] + Array(back) + [0]
        return parts.map { part in
            // A receiver's noise.
            let point = goal.part(part)
            return Plane.Point(
                east: point.east + .random(in: -15...15, using: &random),
                north: point.north + .random(in: -15...15, using: &random))
        }
    }
}

/// What an attacker sees of a machine's trips; home is the origin.
struct TripObservations {
    private var trips: [[Plane.Point]] = []

    mutating func see(trip answers: [Plane.Point]) { trips.append(answers) }

    /// The guesses at home: by the answers at home and, each with and without them, by the mean of all answers, of all
    /// different ones, of those next to home, and of the trips' own means, and by where the trips' lines meet.
    var guesses: [String: Plane.Point] {
        let home = trips.compactMap(\.first)
        var guesses = ["home": mean(home)]
        let usual = Dictionary(grouping: home) { $0 }.max { $0.value.count < $1.value.count }?.key
        for (name, trips) in [("", trips), (" away", trips.map { $0.filter { $0 != usual } }.filter { !$0.isEmpty })] {
            guesses["all" + name] = mean(trips.flatMap { $0 })
            guesses["different" + name] = mean(Array(Set(trips.flatMap { $0 })))
            guesses["ends" + name] = mean(trips.flatMap { [$0[0], $0[$0.count - 1]] })
            guesses["trips" + name] = mean(trips.map(mean))
            guesses["lines" + name] = meeting(of: trips)
        }
        return guesses
    }

    private func mean(_ points: [Plane.Point]) -> Plane.Point {
        let count = Double(points.count)
        return Plane.Point(
            east: points.map(\.east).reduce(0, +) / count, north: points.map(\.north).reduce(0, +) / count)
    }

    /// The point with the least sum of squared distances from the trips' lines, each through a trip's mean in the
    /// direction of its largest spread.
    private func meeting(of trips: [[Plane.Point]]) -> Plane.Point {
        var (a, b, c, p, q) = (0.0, 0.0, 0.0, 0.0, 0.0)
        for trip in trips where trip.count > 2 {
            let middle = mean(trip)
            var (ee, en, nn) = (0.0, 0.0, 0.0)
            for point in trip {
                let (east, north) = (point.east - middle.east, point.north - middle.north)
                (ee, en, nn) = (ee + east * east, en + east * north, nn + north * north)
            }
            let angle = atan2(2 * en, ee - nn) / 2
            // The normal of the line, and its distance from the origin.
            let (x, y) = (-sin(angle), cos(angle))
            let distance = x * middle.east + y * middle.north
            (a, b, c) = (a + x * x, b + x * y, c + y * y)
            (p, q) = (p + x * distance, q + y * distance)
        }
        let determinant = a * c - b * b
        return Plane.Point(east: (c * p - b * q) / determinant, north: (a * q - b * p) / determinant)
    }
}

/// How well the attacker does over many machines, whose homes are the origins of their planes.
struct TripScore {
    private var squares: [String: Double] = [:]
    private var machines = 0

    mutating func add(_ seen: TripObservations) {
        for (name, guess) in seen.guesses {
            squares[name, default: 0] += guess.east * guess.east + guess.north * guess.north
        }
        machines += 1
    }

    /// The root of the mean square error of each kind of guess, metres.
    var errors: [String: Double] { squares.mapValues { ($0 / Double(machines)).squareRoot() } }

    /// That of the best one.
    var best: Double { errors.values.min() ?? .infinity }
}
