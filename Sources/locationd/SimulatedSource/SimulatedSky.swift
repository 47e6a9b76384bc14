import Glibc
@_spi(Programs) import LocationModel

/// The satellites above a place: GPS and Galileo on circular orbits with their real heights and inclinations, at
/// invented positions on them.
struct SimulatedSky: Sendable {
    private struct Orbit: Sendable {
        var gnss: String
        var id: Int
        /// Metres from the Earth's centre.
        var radius: Double
        /// Radians.
        var inclination: Double
        /// Longitude of the ascending node at the beginning, radians.
        var node: Double
        /// Angle from the node at the beginning, radians.
        var phase: Double
    }

    private var orbits: [Orbit] = []

    private static let gravitation = 3.986_004_418e14  // m³/s², WGS 84
    private static let rotation = 7.292_115e-5  // rad/s, the Earth's
    private static let earthRadius = 6_371_000.0
    /// Degrees of elevation; satellites below the first are not received, and below the second not used.
    private static let (horizon, mask) = (5.0, 10.0)
    private static let weakest = 30.0  // dB-Hz; less is not used

    init(using generator: inout SeededGenerator) {
        let degree = Double.pi / 180
        func add(_ gnss: String, planes: Int, perPlane: Int, radius: Double, inclination: Double) {
            let node = generator.number(in: 0...2 * .pi)
            for plane in 0..<planes {
                for slot in 0..<perPlane {
                    let spread = Double(slot) / Double(perPlane) + Double(plane) / Double(planes * perPlane)
                    orbits.append(
                        Orbit(
                            gnss: gnss, id: plane * perPlane + slot + 1, radius: radius, inclination: inclination,
                            node: node + 2 * .pi * Double(plane) / Double(planes),
                            phase: 2 * .pi * spread + generator.number(in: -0.1...0.1)))
                }
            }
        }
        add("GPS", planes: 6, perPlane: 4, radius: 26_560_000, inclination: 55 * degree)
        add("Galileo", planes: 3, perPlane: 8, radius: 29_600_000, inclination: 56 * degree)
    }

    /// The satellites received at the given seconds after the beginning, highest first.
    func satellites(over frame: LocalFrame, at seconds: Double) -> [Satellite] {
        orbits.compactMap { orbit in
            let sight = position(of: orbit, at: seconds) - Self.earthRadius * frame.up
            let height = (sight * frame.up).sum() / (sight * sight).sum().squareRoot()
            let elevation = asin(height) * 180 / .pi
            guard elevation >= Self.horizon else { return nil }
            // Stronger at high elevation; reflections make it fluctuate.
            let fading = sin(seconds / 47 + orbit.phase * 5) + sin(seconds / 13 + orbit.phase * 9)
            let signal = 27 + 20 * height + 1.5 * fading
            var satellite = Satellite(
                gnss: orbit.gnss, id: orbit.id, used: elevation >= Self.mask && signal >= Self.weakest)
            satellite.elevation = (elevation * 10).rounded() / 10
            satellite.azimuth = frame.bearing(of: sight).rounded().truncatingRemainder(dividingBy: 360)
            satellite.signal = (signal * 10).rounded() / 10
            return satellite
        }
        .sorted { ($0.elevation ?? 0) > ($1.elevation ?? 0) }
    }

    /// A satellite's position in Earth-fixed space, metres.
    private func position(of orbit: Orbit, at seconds: Double) -> SIMD3<Double> {
        let motion = (Self.gravitation / (orbit.radius * orbit.radius * orbit.radius)).squareRoot()
        let angle = orbit.phase + motion * seconds
        let node = orbit.node - Self.rotation * seconds
        let (along, across) = (cos(angle), sin(angle) * cos(orbit.inclination))
        return orbit.radius
            * SIMD3(
                along * cos(node) - across * sin(node), along * sin(node) + across * cos(node),
                sin(angle) * sin(orbit.inclination))
    }
}

/// The factor by which the satellites' geometry magnifies the error of a single range.
struct DilutionOfPrecision: Sendable, Equatable {
    /// In the horizontal plane.
    var horizontal: Double
    /// In height.
    var vertical: Double
    /// In space.
    var position: Double { hypot(horizontal, vertical) }

    /// Computed from the used satellites' directions: the diagonal of (AᵀA)⁻¹, where A has a row (east, north, up, 1)
    /// each.
    ///
    /// Langley, "Dilution of Precision", GPS World, May 1999.
    /// - Returns: `nil` if fewer than four are used or their geometry gives no position.
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
        // Gauss–Jordan elimination without pivoting: the matrix is symmetric and positive definite, or there is no
        // position.
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
