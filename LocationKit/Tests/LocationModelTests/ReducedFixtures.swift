import Foundation
@_spi(Programs) import LocationModel
import TestSupport
import Testing

extension SeededGenerator {
    /// A position drawn evenly from the part of the Earth within a latitude.
    mutating func position(within latitude: Double = 85) throws -> Coordinate {
        let sine = Double.random(in: -1...1, using: &self) * sin(latitude * .pi / 180)
        return try #require(
            Coordinate(latitude: asin(sine) * 180 / .pi, longitude: .random(in: -180...180, using: &self)))
    }

    /// A position drawn evenly from the surroundings of another, at most so many metres away.
    mutating func position(around centre: Coordinate, within radius: Double) -> Coordinate {
        DiskPoint.random(using: &self).displacing(centre, radius: radius)
    }

    /// A position that a receiver of the given standard deviation per axis, metres, reports.
    mutating func measured(_ truth: Coordinate, sigma: Double) throws -> Coordinate {
        // Box and Muller's two normal numbers.
        let length = sigma * (-2 * log(Double.random(in: Double.leastNonzeroMagnitude..<1, using: &self))).squareRoot()
        let angle = Double.random(in: 0..<(2 * .pi), using: &self)
        let (north, east) = (length * cos(angle) / 111_320, length * sin(angle) / 111_320)
        let longitude = truth.longitude + east / cos(truth.latitude * .pi / 180)
        return try #require(
            Coordinate(latitude: truth.latitude + north, longitude: longitude.remainder(dividingBy: 360)))
    }
}

extension ReducedAccuracy {
    /// A machine that has just been given its secret.
    init(size: Double = 2000, using generator: inout SeededGenerator) {
        self.init(grid: AccuracyGrid(size: size), displacement: .random(using: &generator))
    }

    /// What is published of a fix when one is due.
    mutating func published(_ location: Location, at now: BootInstant) throws -> Location {
        let fix = applyFix(location, at: now)
        return try #require(fix)
    }

    /// Where somebody who knows the secret looks for the machine.
    func displacedBack(_ told: Coordinate) throws -> Coordinate {
        try #require(DiskPoint(east: -displacement.east, north: -displacement.north)).displacing(told, radius: reach)
    }

    /// What a machine with this memory is after a restart.
    func restarted() throws -> ReducedAccuracy {
        ReducedAccuracy(try JSONDecoder().decode(ReducedMemory.self, from: JSONEncoder().encode(memory)))
    }
}

/// What an attacker knows of one place, and the guesses it allows.
struct Observations {
    private var counts: [Coordinate: Int] = [:]
    private var order: [Coordinate] = []

    /// How many different positions were seen.
    var answers: Int { order.count }

    mutating func see(_ coordinate: Coordinate?) {
        guard let coordinate else { return }
        if counts[coordinate] == nil { order.append(coordinate) }
        counts[coordinate, default: 0] += 1
    }

    /// The guesses: the mean of all that was seen, the mean of all different positions, the first and the last seen.
    ///
    /// The first is the best one if each position is the truth plus something independent; the second if a position
    /// is often seen again for no reason.
    func guesses() throws -> [Coordinate] {
        let first = try #require(order.first)
        let all = mean(weights: order.map { Double(counts[$0] ?? 0) }, from: first)
        return [all, mean(weights: order.map { _ in 1 }, from: first), first, order[order.count - 1]]
    }

    private func mean(weights: [Double], from origin: Coordinate) -> Coordinate {
        var (east, north, sum) = (0.0, 0.0, 0.0)
        for (position, weight) in zip(order, weights) {
            let bearing = (origin.initialBearing(to: position) ?? 0) * .pi / 180
            let distance = origin.distance(to: position)
            (east, north) = (east + weight * distance * sin(bearing), north + weight * distance * cos(bearing))
            sum += weight
        }
        return origin.coordinate(atDistance: hypot(east, north) / sum, bearing: atan2(east, north) * 180 / .pi)
    }
}

/// How well an attacker does over many places.
struct AttackScore {
    private var squares = [0.0, 0, 0, 0]
    private var trials = 0
    private(set) var answers = 0

    mutating func add(_ seen: Observations, truth: Coordinate) throws {
        for (index, guess) in try seen.guesses().enumerated() {
            squares[index] += pow(guess.distance(to: truth), 2)
        }
        trials += 1
        answers = max(answers, seen.answers)
    }

    /// The root of the mean square error of the best kind of guess, metres.
    var best: Double { ((squares.min() ?? 0) / Double(trials)).squareRoot() }

    /// The same of one who knows exactly in which square cell of 2 km the place is, and nothing more; less 5 % for
    /// there being only some hundred trials.
    static let bound = 0.95 * 2000 / 6.0.squareRoot()
}
