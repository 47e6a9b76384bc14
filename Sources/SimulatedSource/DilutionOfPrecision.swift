import Glibc
import LocationModel

/// How much the satellites' geometry magnifies the error of a single range.
struct DilutionOfPrecision: Sendable, Equatable {
    /// In the horizontal plane.
    var horizontal: Double
    /// In height.
    var vertical: Double
    /// In space.
    var position: Double { hypot(horizontal, vertical) }

    /// From the used satellites' directions: the diagonal of (AᵀA)⁻¹, where A has a row (east, north, up, 1) each.
    ///
    /// Langley, "Dilution of Precision", GPS World, May 1999.
    /// - Returns: `nil` if fewer than four are used or they stand in a way that gives no position.
    init?(of satellites: [Satellite]) {
        var rows: [SIMD4<Double>] = []
        for satellite in satellites where satellite.used {
            guard let azimuth = satellite.azimuth, let elevation = satellite.elevation else { continue }
            let (turn, height) = (azimuth * .pi / 180, elevation * .pi / 180)
            rows.append(SIMD4(cos(height) * sin(turn), cos(height) * cos(turn), sin(height), 1))
        }
        guard rows.count >= 4 else { return nil }
        var matrix = (0..<4).map { row in rows.reduce(SIMD4<Double>.zero) { $0 + $1[row] * $1 } }
        var inverse = (0..<4).map { row in
            var unit = SIMD4<Double>.zero
            unit[row] = 1
            return unit
        }
        // Gauss and Jordan without pivoting: the matrix is symmetric and positive definite, or there is no position.
        for pivot in 0..<4 {
            let scale = matrix[pivot][pivot]
            guard scale > 1e-9 else { return nil }
            matrix[pivot] /= scale
            inverse[pivot] /= scale
            for row in 0..<4 where row != pivot {
                let factor = matrix[row][pivot]
                matrix[row] -= factor * matrix[pivot]
                inverse[row] -= factor * inverse[pivot]
            }
        }
        horizontal = (inverse[0][0] + inverse[1][1]).squareRoot()
        vertical = inverse[2][2].squareRoot()
    }
}
