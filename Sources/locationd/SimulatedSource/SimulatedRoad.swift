import Glibc

/// A closed road on a flat map: straights joined by circular bends, so that the direction is continuous.
struct Road: Sendable {
    /// A place on the road: metres from its beginning, and the direction of travel, degrees.
    struct Place {
        var east: Double
        var north: Double
        var bearing: Double
    }

    /// A straight (curvature 0) or a bend (curvature in radians per metre, right is positive).
    struct Piece: Sendable {
        /// Metres along the road where it begins.
        var start: Double
        var length: Double
        var curvature: Double
        fileprivate var east: Double
        fileprivate var north: Double
        /// Radians clockwise from north, at the piece's beginning.
        fileprivate var heading: Double
    }

    /// In the order of travel. The first is a straight; the last leads back to its beginning.
    let pieces: [Piece]
    /// Metres per lap.
    let length: Double

    /// A road through corners around a middle, all about `radius` metres away from it.
    init(radius: Double, using generator: inout SeededGenerator) {
        let count = 8
        let corners = (0..<count).map { index in
            let angle = (Double(index) + generator.number(in: -0.2...0.2)) * 2 * .pi / Double(count)
            return radius * generator.number(in: 0.75...1.25) * SIMD2(sin(angle), cos(angle))
        }
        let turn = generator.number(in: 0...2 * .pi)
        let edges = (0..<count).map { index in
            let edge = corners[(index + 1) % count] - corners[index]
            return (length: hypot(edge.x, edge.y), heading: atan2(edge.x, edge.y) + turn)
        }
        var layout = Layout(heading: edges[0].heading)
        // The road begins in the middle of the first edge, and a bend shortens both its edges by the same length.
        var straight = edges[0].length / 2
        for index in 0..<count {
            let (edge, next) = (edges[index], edges[(index + 1) % count])
            let angle = remainder(next.heading - edge.heading, 2 * .pi)
            let cut = min(edge.length, next.length) * generator.number(in: 0.2...0.45)
            layout.add(length: straight - cut, curvature: 0)
            if abs(angle) > 1e-6 {
                let bendRadius = cut / tan(abs(angle) / 2)
                layout.add(length: bendRadius * abs(angle), curvature: (angle < 0 ? -1 : 1) / bendRadius)
                straight = next.length - cut
            } else {
                straight = next.length + cut
            }
        }
        layout.add(length: straight - edges[0].length / 2, curvature: 0)
        pieces = layout.pieces
        length = layout.length
    }

    /// The place at the given metres, 0...`length`.
    func place(at distance: Double) -> Place {
        (pieces.last { $0.start <= distance } ?? pieces[0]).place(at: distance)
    }
}

extension Road.Piece {
    fileprivate func place(at distance: Double) -> Road.Place {
        let along = distance - start
        let newHeading = heading + curvature * along
        let bearing = newHeading * 180 / .pi
        guard curvature != 0 else {
            return Road.Place(
                east: east + along * sin(heading), north: north + along * cos(heading), bearing: bearing)
        }
        return Road.Place(
            east: east + (cos(heading) - cos(newHeading)) / curvature,
            north: north + (sin(newHeading) - sin(heading)) / curvature, bearing: bearing)
    }
}

/// Appends pieces one after the other.
private struct Layout {
    var pieces: [Road.Piece] = []
    var length = 0.0
    private var end = Road.Place(east: 0, north: 0, bearing: 0)

    init(heading: Double) {
        end.bearing = heading * 180 / .pi
    }

    mutating func add(length pieceLength: Double, curvature: Double) {
        let piece = Road.Piece(
            start: length, length: pieceLength, curvature: curvature, east: end.east, north: end.north,
            heading: end.bearing * .pi / 180)
        pieces.append(piece)
        length += pieceLength
        end = piece.place(at: length)
    }
}

/// Hills along a closed road: the height depends on the place, so that every lap is the same.
struct Relief: Sendable {
    private let waves: [(number: Double, phase: Double)]
    private let length: Double

    /// The steepest slope of one wave; four of them together stay below 7 %.
    private static let slope = 0.0175

    /// - Parameter length: Metres per lap.
    init(length: Double, using generator: inout SeededGenerator) {
        self.length = length
        waves = [1, 2, 3, 5].map { ($0, generator.number(in: 0...2 * .pi)) }
    }

    /// Metres above the road's mean height, and metres up per metre forward.
    func height(at distance: Double) -> (height: Double, slope: Double) {
        waves.reduce(into: (height: 0.0, slope: 0.0)) { sum, wave in
            let rate = 2 * Double.pi * wave.number / length
            sum.height += Self.slope / rate * sin(rate * distance + wave.phase)
            sum.slope += Self.slope * cos(rate * distance + wave.phase)
        }
    }
}
