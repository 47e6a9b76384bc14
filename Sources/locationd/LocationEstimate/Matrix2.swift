/// Two numbers of the plane: east and north.
typealias Vector2 = SIMD2<Double>

extension Vector2 {
    var length: Double { (self * self).sum().squareRoot() }
}

/// A matrix of two rows and two columns, by columns.
struct Matrix2: Sendable, Hashable {
    var columns: (east: Vector2, north: Vector2)

    init(_ east: Vector2, _ north: Vector2) { columns = (east, north) }

    /// A multiple of the identity.
    init(diagonal value: Double) { self.init(Vector2(value, 0), Vector2(0, value)) }

    static let zero = Matrix2(diagonal: 0)

    static func == (lhs: Self, rhs: Self) -> Bool { lhs.columns == rhs.columns }

    func hash(into hasher: inout Hasher) {
        hasher.combine(columns.east)
        hasher.combine(columns.north)
    }

    var transposed: Matrix2 {
        Matrix2(Vector2(columns.east.x, columns.north.x), Vector2(columns.east.y, columns.north.y))
    }

    var trace: Double { columns.east.x + columns.north.y }
    var determinant: Double { columns.east.x * columns.north.y - columns.north.x * columns.east.y }

    /// - Returns: `nil` if it has none.
    var inverse: Matrix2? {
        let scale = 1 / determinant
        guard scale.isFinite else { return nil }
        return Matrix2(
            Vector2(columns.north.y, -columns.east.y) * scale, Vector2(-columns.north.x, columns.east.x) * scale)
    }

    /// The mean of it and its transpose: rounding makes a covariance unsymmetric over time.
    var symmetric: Matrix2 {
        let mean = (columns.north.x + columns.east.y) / 2
        return Matrix2(Vector2(columns.east.x, mean), Vector2(mean, columns.north.y))
    }

    /// It on other axes: T·M·Tᵀ.
    func turned(by turn: Matrix2) -> Matrix2 { turn * self * turn.transposed }

    static func + (lhs: Self, rhs: Self) -> Self {
        Matrix2(lhs.columns.east + rhs.columns.east, lhs.columns.north + rhs.columns.north)
    }

    static func - (lhs: Self, rhs: Self) -> Self {
        Matrix2(lhs.columns.east - rhs.columns.east, lhs.columns.north - rhs.columns.north)
    }

    static func * (lhs: Self, rhs: Double) -> Self { Matrix2(lhs.columns.east * rhs, lhs.columns.north * rhs) }

    static func * (lhs: Self, rhs: Vector2) -> Vector2 { lhs.columns.east * rhs.x + lhs.columns.north * rhs.y }

    static func * (lhs: Self, rhs: Self) -> Self { Matrix2(lhs * rhs.columns.east, lhs * rhs.columns.north) }

    /// vᵀ·M·v.
    func product(with vector: Vector2) -> Double { (vector * (self * vector)).sum() }

    /// A covariance that has these standard deviations along a direction and across it.
    ///
    /// - Parameter direction: of length 1.
    init(along: Double, across: Double, of direction: Vector2) {
        let (a, c) = (along * along, across * across)
        let (e, n) = (direction.x, direction.y)
        let mixed = (a - c) * e * n
        self.init(Vector2(a * e * e + c * n * n, mixed), Vector2(mixed, a * n * n + c * e * e))
    }
}
