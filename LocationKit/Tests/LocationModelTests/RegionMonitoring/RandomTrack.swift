import Foundation
@_spi(Programs) import LocationModel
import TestSupport
import Testing

@_spi(Programs) @testable import RegionMonitoring

/// A machine that wanders about a region, and what its receiver makes of it: normal errors of which 68 % are within the
/// accuracy.
struct RandomTrack {
    struct Step {
        var fix: Location
        /// Metres from the border, negative outside: of the machine, and of the fix.
        var truth, measured: Double
        /// The true accuracy, which the fix may not tell, metres.
        var accuracy: Double
    }

    let region: Region
    private let center: Coordinate
    private let size: Double
    private let border: RegionBorder
    private let interval: Double
    private let step: Double
    private let accuracy: Double
    private var seconds = 1000.0
    private var (x, y) = (0.0, 0.0)
    private var goal: (x: Double, y: Double)
    private var rest = 0

    init(using random: inout SeededGenerator) throws {
        center = try Coordinate(
            .random(in: -89...89, using: &random),
            Bool.random(using: &random) ? .random(in: -180...180, using: &random) : 180)
        size = pow(10, Double.random(in: 1.5...3.3, using: &random))
        interval = [0.25, 1, 1, 5, 60].randomElement(using: &random) ?? 1
        accuracy = pow(10, Double.random(in: 0.3...1.9, using: &random))
        step = min(80 * interval, size * .random(in: 0.02...0.6, using: &random))
        let dwell = Bool.random(using: &random) ? max(1, 8 * interval) : nil
        if Bool.random(using: &random) {
            region = try .circle(center, radius: size, dwell: dwell)
        } else {
            let count = Int.random(in: 3...8, using: &random)
            var corners: [Coordinate] = []
            for corner in 0..<count {
                corners.append(
                    center.coordinate(
                        atDistance: size * .random(in: 0.4...1, using: &random),
                        bearing: Double(corner) * 360 / Double(count)))
            }
            region = try Region(identifier: "here", shape: .polygon(RegionPolygon(corners: corners)), dwell: dwell)
        }
        border = RegionBorder(region.shape)
        goal = (0, 0)
        (x, y) = somewhere(using: &random)
        goal = somewhere(using: &random)
    }

    mutating func next(using random: inout SeededGenerator) -> Step {
        move(using: &random)
        seconds += interval
        // Box and Muller's two normal numbers; of their lengths 68 % are within the accuracy.
        let sigma = accuracy / (-2 * log(0.32)).squareRoot()
        let length =
            sigma * (-2 * log(Double.random(in: Double.leastNonzeroMagnitude..<1, using: &random))).squareRoot()
        let angle = Double.random(in: 0..<(2 * .pi), using: &random)
        let isTold = Int.random(in: 0..<40, using: &random) > 0
        let place = coordinate(x + length * cos(angle), y + length * sin(angle))
        return Step(
            fix: .fix(place, accuracy: isTold ? accuracy : nil, at: seconds),
            truth: border.distance(from: coordinate(x, y)), measured: border.distance(from: place), accuracy: accuracy)
    }

    private mutating func move(using random: inout SeededGenerator) {
        if rest > 0 {
            rest -= 1
            return
        }
        let way = hypot(goal.x - x, goal.y - y)
        if way <= step {
            (x, y) = goal
            rest = Int.random(in: 0..<12, using: &random)
            goal = somewhere(using: &random)
        } else {
            (x, y) = (x + (goal.x - x) * step / way, y + (goal.y - y) * step / way)
        }
    }

    private func somewhere(using random: inout SeededGenerator) -> (x: Double, y: Double) {
        let reach = 2 * size + 4 * accuracy
        return (.random(in: -reach...reach, using: &random), .random(in: -reach...reach, using: &random))
    }

    private func coordinate(_ east: Double, _ north: Double) -> Coordinate {
        center.coordinate(atDistance: hypot(east, north), bearing: atan2(east, north) * 180 / .pi)
    }
}
