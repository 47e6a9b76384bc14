import Foundation
@_spi(Programs) import LocationModel
import TestSupport
import Testing

/// GEOS, by Python's `shapely` of Debian's package `python3-shapely`, agrees on which places are in which polygons.
@Suite(.timeLimit(.minutes(10))) struct PointInPolygonTests {
    /// Reads polygons (`p x y x y …`), each followed by places (`x y`), and says of each place whether it is inside,
    /// outside or on the border.
    private static let script = """
        import sys
        try:
            from shapely.geometry import Point, Polygon
            from shapely.prepared import prep
        except ImportError:
            sys.exit("the package python3-shapely is missing; `make packages-test` installs it")
        answers = []
        for line in open(sys.argv[1]):
            words = line.split()
            if words[0] == "p":
                numbers = list(map(float, words[1:]))
                polygon = Polygon(zip(numbers[::2], numbers[1::2]))
                assert polygon.is_valid, line
                area = prep(polygon)
            else:
                point = Point(float(words[0]), float(words[1]))
                answers.append("i" if area.contains(point) else "b" if area.intersects(point) else "o")
        open(sys.argv[2], "w").write("".join(answers))
        """

    @Test func geosAgrees() async throws {
        var random = SeededGenerator(seed: 1)
        var (text, answers) = ("", [Bool]())
        for number in 0..<1000 {
            let ring = number % 2 == 0 ? FlatRing.star(using: &random) : FlatRing.untangled(using: &random)
            text += "p " + ring.corners.map { "\($0.x) \($0.y)" }.joined(separator: " ") + "\n"
            let border = PolygonBorder(try RegionPolygon(corners: ring.corners.map { try $0.coordinate }))
            for _ in 0..<100 {
                let point = ring.surroundings(using: &random)
                text += "\(point.x) \(point.y)\n"
                answers.append(border.contains(try point.coordinate.geodetic))
            }
        }
        let folder = try TemporaryFolder()
        try text.write(toFile: folder("cases"), atomically: true, encoding: .utf8)
        let outcome = try await ChildProcess(
            "/usr/bin/python3", ["-c", Self.script, folder("cases"), folder("answers")]
        )
        .outcome(within: 150)
        try #require(outcome.code == 0, "\(outcome.output)")
        let theirs = Array(try String(contentsOfFile: folder("answers"), encoding: .utf8).utf8)
        try #require(theirs.count == 100_000 && answers.count == 100_000)
        for (index, (answer, their)) in zip(answers, theirs).enumerated() where their != UInt8(ascii: "b") {
            #expect(answer == (their == UInt8(ascii: "i")), "place \(index)")
        }
        #expect(theirs.count { $0 == UInt8(ascii: "b") } < 100)
        #expect((20_000...80_000).contains(answers.count { $0 }))
    }
}

/// A ring on a flat map that goes on beyond the antimeridian. Its numbers have seven decimal places, as corners have,
/// also where they are turned around the Earth.
private struct FlatRing {
    struct Point {
        var x, y: Double

        init(_ x: Double, _ y: Double) {
            (self.x, self.y) = (Self.rounded(x), Self.rounded(y))
        }

        private static func rounded(_ degrees: Double) -> Double { (degrees * 1e7).rounded() / 1e7 }

        var coordinate: Coordinate {
            get throws { try Coordinate(y, Self.rounded(x.remainder(dividingBy: 360))) }
        }
    }

    var corners: [Point]

    /// Every other one lies over the antimeridian.
    private static func place(using random: inout SeededGenerator) -> (middle: Point, size: Double) {
        let size = pow(10, Double.random(in: -3...1.7, using: &random))
        let isOverAntimeridian = Bool.random(using: &random)
        let x: Double = .random(in: isOverAntimeridian ? 180 - size / 2...180 + size / 2 : -180...180, using: &random)
        return (Point(x, .random(in: size - 89...89 - size, using: &random)), size)
    }

    /// Corners in all directions from a middle, at any distance.
    static func star(using random: inout SeededGenerator) -> FlatRing {
        let (middle, size) = place(using: &random)
        let count = Int.random(in: 5...40, using: &random)
        return FlatRing(
            corners: (0..<count).map { corner in
                let angle = (Double(corner) + .random(in: 0...0.9, using: &random)) / Double(count) * 2 * .pi
                let distance = size * Double.random(in: 0.05...1, using: &random)
                return Point(middle.x + distance * cos(angle), middle.y + distance * sin(angle))
            })
    }

    /// Any corners, in an order in which no two sides cross: wherever two do, what is between them is gone around the
    /// other way, which is shorter.
    static func untangled(using random: inout SeededGenerator) -> FlatRing {
        let (middle, size) = place(using: &random)
        var corners = (0..<Int.random(in: 4...20, using: &random)).map { _ in
            Point(
                middle.x + size * .random(in: -1...1, using: &random),
                middle.y + size * .random(in: -1...1, using: &random))
        }
        var isTangled = true
        while isTangled {
            isTangled = false
            for first in 0..<corners.count - 2 {
                for second in first + 2..<corners.count where second - first < corners.count - 1 {
                    let (a, b) = (corners[first], corners[first + 1])
                    let (c, d) = (corners[second], corners[(second + 1) % corners.count])
                    guard isLeft(a, b, c) != isLeft(a, b, d), isLeft(c, d, a) != isLeft(c, d, b) else { continue }
                    corners[first + 1...second].reverse()
                    isTangled = true
                }
            }
        }
        return FlatRing(corners: corners)
    }

    private static func isLeft(_ a: Point, _ b: Point, _ c: Point) -> Bool {
        (b.x - a.x) * (c.y - a.y) > (b.y - a.y) * (c.x - a.x)
    }

    /// Somewhere in the rectangle around it, or on the same meridian or parallel as a corner.
    func surroundings(using random: inout SeededGenerator) -> Point {
        let (xs, ys) = (corners.map(\.x), corners.map(\.y))
        let x = Double.random(in: (xs.min() ?? 0)...(xs.max() ?? 0), using: &random)
        let y = Double.random(in: (ys.min() ?? 0)...(ys.max() ?? 0), using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return Point(xs.randomElement(using: &random) ?? x, y)
        case 1: return Point(x, ys.randomElement(using: &random) ?? y)
        default: return Point(x, y)
        }
    }
}
