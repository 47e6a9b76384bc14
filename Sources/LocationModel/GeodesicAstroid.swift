import Glibc

/// The astroid problem: geodesics near the antipodes all but touch an astroid (section 5 of the paper).
enum GeodesicAstroid {
    /// The positive root of κ⁴ + 2κ³ − (x² + y² − 1) κ² − 2y²κ − y² = 0 (equation 55), or 0 if there is none.
    ///
    /// Solved by Ferrari's way, with every sum of like signs; the resolvent cubic has one real root outside the
    /// astroid and three inside.
    static func root(x: Double, y: Double) -> Double {
        let (p, q) = (x * x, y * y)
        let r = (p + q - 1) / 6
        guard q > 0 || r > 0 else { return 0 }
        let s = p * q / 4
        let rSquared = r * r
        let rCubed = r * rSquared
        let discriminant = s * (s + 2 * rCubed)
        var u = r
        if discriminant >= 0 {
            let sum = s + rCubed
            let t = cbrt(sum < 0 ? sum - discriminant.squareRoot() : sum + discriminant.squareRoot())
            u += t + (t == 0 ? 0 : rSquared / t)
        } else {
            let angle = atan2((-discriminant).squareRoot(), -(s + rCubed))
            u += 2 * r * cos(angle / 3)
        }
        let v = (u * u + q).squareRoot()
        let sum = u < 0 ? q / (v - u) : u + v
        let w = (sum - q) / (2 * v)
        return sum / ((sum + w * w).squareRoot() + w)
    }
}
