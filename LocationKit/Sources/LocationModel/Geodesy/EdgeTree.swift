import Glibc

/// A search tree of a ring's sides, so that only those near a place or on its meridian are examined.
///
/// Each node bounds the sides between two corners of the ring: by a ball around a point in space, where meridians and
/// poles need no special treatment, and by a range of longitudes.
struct EdgeTree: Sendable {
    let sides: [PolygonEdge]
    /// In pre-order: a node, then its first half's nodes, then its second half's.
    private var nodes: [Node] = []

    struct Node: Sendable {
        /// Bounds the points of the unit sphere with the same latitudes and longitudes.
        fileprivate(set) var ball = BoundingSphere()
        /// The westernmost longitude, -180..<180, and the difference to the easternmost one, degrees.
        fileprivate var west = 0.0, width = 0.0
        fileprivate(set) var sides: Range<Int>
        /// The index of the second half; the first half follows the node. A leaf has its own index.
        fileprivate(set) var second: Int
    }

    /// The most sides of a leaf.
    private static let leafSize = 4
    /// The rounding error of a longitude, degrees.
    private static let rounding = 1e-9

    /// - Parameter sides: the sides of a ring, in its order.
    init(_ sides: [PolygonEdge]) {
        self.sides = sides
        nodes.reserveCapacity(2 * sides.count / Self.leafSize + 2)
        let balls = sides.map(BoundingSphere.init)
        add(sides.indices, balls)
    }

    private mutating func add(_ range: Range<Int>, _ balls: [BoundingSphere]) {
        let index = nodes.count
        var node = Node(sides: range, second: index)
        node.ball = BoundingSphere(around: balls[range])
        (node.west, node.width) = longitudes(of: range)
        nodes.append(node)
        guard range.count > Self.leafSize else { return }
        let middle = (range.lowerBound + range.upperBound) / 2
        add(range.lowerBound..<middle, balls)
        nodes[index].second = nodes.count
        add(middle..<range.upperBound, balls)
    }

    private func longitudes(of range: Range<Int>) -> (west: Double, width: Double) {
        guard let first = range.first.map({ sides[$0] }) else { return (-180, 360) }
        let start = first.isEastward ? first.west : first.west + first.span
        var (here, west, east) = (start, start, start)
        for side in sides[range] {
            here += side.isEastward ? side.span : -side.span
            (west, east) = (min(west, here), max(east, here))
        }
        guard east - west < 359 else { return (-180, 360) }
        let begin = (west - Self.rounding).remainder(dividingBy: 360)
        return (begin, east - west + 2 * Self.rounding)
    }

    /// The node at an index; the first node bounds all sides.
    subscript(index: Int) -> Node { nodes[index] }

    /// How many sides the meridian from a place to the south pole crosses. `longitude` is -180..<180.
    func crossings(southOf latitude: Double, longitude: Double) -> Int {
        var (count, index) = (0, 0)
        while index < nodes.count {
            let node = nodes[index]
            let along = longitude - node.west
            if (along < 0 ? along + 360 : along) > node.width {
                index = end(of: index)
            } else {
                if node.second == index {
                    for side in sides[node.sides] where side.isCrossed(southOf: latitude, longitude: longitude) {
                        count += 1
                    }
                }
                index += 1
            }
        }
        return count
    }

    /// The index of the first node that is not within the given node.
    private func end(of index: Int) -> Int {
        var last = index
        while nodes[last].second != last { last = nodes[last].second }
        return last + 1
    }
}

/// A ball in space near the unit sphere.
struct BoundingSphere: Sendable {
    private(set) var middle = UnitPoint()
    private(set) var radius = 0.0

    /// Exceeds any rounding error.
    private static let rounding = 1e-14

    init() {}

    /// The ball around a side: the distance from its middle to an end is at most the length along it, which is greatest
    /// at the latitude nearest the equator.
    init(_ side: PolygonEdge) {
        let (first, last) = (side.latitude, side.latitude + side.rise)
        let nearest = first * last <= 0 ? 0 : min(first.magnitude, last.magnitude)
        middle = UnitPoint(latitude: side.latitude + side.rise / 2, longitude: side.west + side.span / 2)
        radius = hypot(side.rise, side.span * cos(nearest * .pi / 180)) / 2 * .pi / 180 + Self.rounding
    }

    /// The ball around all of the given balls.
    init(around balls: ArraySlice<BoundingSphere>) {
        for ball in balls { middle.add(ball.middle, part: 1 / Double(balls.count)) }
        radius = balls.reduce(0) { max($0, $1.middle.distance(to: middle) + $1.radius) } + Self.rounding
    }
}

/// A point in space, in radii of the sphere that has the ellipsoid's latitudes and longitudes.
struct UnitPoint: Sendable {
    private var (x, y, z) = (0.0, 0.0, 0.0)

    init() {}

    /// Degrees.
    init(latitude: Double, longitude: Double) {
        let (north, east) = (latitude * .pi / 180, longitude * .pi / 180)
        (x, y, z) = (cos(north) * cos(east), cos(north) * sin(east), sin(north))
    }

    func distance(to other: UnitPoint) -> Double {
        let (dx, dy, dz) = (x - other.x, y - other.y, z - other.z)
        return (dx * dx + dy * dy + dz * dz).squareRoot()
    }

    mutating func add(_ other: UnitPoint, part: Double) {
        x += other.x * part
        y += other.y * part
        z += other.z * part
    }
}
