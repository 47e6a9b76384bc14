import Glibc

/// A spherical-harmonic model of the Earth's main magnetic field, with its change in time, such as the World Magnetic
/// Model.
///
/// The formulas are those of "The US/UK World Magnetic Model for 2025-2030: Technical Report", section 1.2.
package struct MagneticModel: Sendable {
    package let name: String
    /// The decimal year of its coefficients, when its validity begins.
    package let epoch: Double
    /// When its validity ends: a decimal year, which is not part of it.
    package let end: Double
    /// The standard error of the declination, degrees: √(constant² + (byHorizontalIntensity / H)²), H in nT.
    private let declinationError: (constant: Double, byHorizontalIntensity: Double)
    private let degree: Int
    /// By ``index(_:_:)``.
    private let coefficients: [Coefficient]

    /// The Gauss coefficients of one degree and order, nT, and their change in a year, nT.
    struct Coefficient {
        let degree, order: Int
        let g, h, gChange, hChange: Double

        init(_ degree: Int, _ order: Int, _ g: Double, _ h: Double, _ gChange: Double, _ hChange: Double) {
            (self.degree, self.order) = (degree, order)
            (self.g, self.h, self.gChange, self.hChange) = (g, h, gChange, hChange)
        }
    }

    /// - Parameter coefficients: those of every degree from 1 and every order from 0 to the degree.
    init(
        name: String, epoch: Double, lifetime: Double,
        declinationError: (constant: Double, byHorizontalIntensity: Double), coefficients: [Coefficient]
    ) {
        self.name = name
        self.epoch = epoch
        end = epoch + lifetime
        self.declinationError = declinationError
        let degree = coefficients.map(\.degree).max() ?? 0
        self.degree = degree
        var ordered = Array(repeating: Coefficient(0, 0, 0, 0, 0, 0), count: Self.index(degree, degree) + 1)
        for coefficient in coefficients { ordered[Self.index(coefficient.degree, coefficient.order)] = coefficient }
        self.coefficients = ordered
    }

    private static func index(_ degree: Int, _ order: Int) -> Int { degree * (degree + 1) / 2 + order }

    /// The field at a place on or above the WGS 84 ellipsoid.
    ///
    /// - Parameters:
    ///   - latitude: degrees north, -90...90. At the poles the field is that a metre away.
    ///   - longitude: degrees east.
    ///   - height: metres above the ellipsoid.
    ///   - year: a decimal year, which the caller has compared with ``epoch`` and ``end``.
    package func field(latitude: Double, longitude: Double, height: Double = 0, year: Double) -> MagneticField {
        let place = SphericalPoint(latitude: latitude, longitude: longitude, height: height)
        let sum = self.sum(at: place, years: year - epoch)
        let (sine, cosine) = (sin(place.turn), cos(place.turn))
        return MagneticField(
            north: sum.north * cosine - sum.down * sine, east: sum.east, down: sum.north * sine + sum.down * cosine)
    }

    /// The standard error of the declination of such a field, degrees.
    package func declinationError(of field: MagneticField) -> Double {
        hypot(declinationError.constant, declinationError.byHorizontalIntensity / field.horizontalIntensity)
    }

    /// The field in the directions of spherical coordinates.
    ///
    /// The Schmidt semi-normalized associated Legendre functions P, and their derivatives D by the colatitude, are
    /// computed for each order m from the degree m upwards.
    private func sum(at place: SphericalPoint, years: Double) -> MagneticField {
        let (sine, cosine) = (place.sineOfColatitude, place.cosineOfColatitude)
        var total = MagneticField(north: 0, east: 0, down: 0)
        // P and D of the degree and order m.
        var sectoral = (value: 1.0, slope: 0.0)
        for m in 0...degree {
            if m > 0 {
                let factor = m == 1 ? 1 : (Double(2 * m - 1) / Double(2 * m)).squareRoot()
                sectoral = (
                    factor * sine * sectoral.value, factor * (cosine * sectoral.value + sine * sectoral.slope)
                )
            }
            let (sineOfOrder, cosineOfOrder) = (sin(Double(m) * place.longitude), cos(Double(m) * place.longitude))
            var last = (value: 0.0, slope: 0.0)
            var present = sectoral
            for n in m...degree {
                if n > m {
                    let norm = Double(n * n - m * m).squareRoot()
                    let before = Double((n - 1) * (n - 1) - m * m).squareRoot()
                    let twice = Double(2 * n - 1)
                    let next = (
                        value: (twice * cosine * present.value - before * last.value) / norm,
                        slope: (twice * (cosine * present.slope - sine * present.value) - before * last.slope) / norm
                    )
                    (last, present) = (present, next)
                }
                guard n > 0 else { continue }
                let coefficient = coefficients[Self.index(n, m)]
                let g = coefficient.g + years * coefficient.gChange
                let h = coefficient.h + years * coefficient.hChange
                let scale = pow(place.radiusRatio, Double(n + 2))
                let along = g * cosineOfOrder + h * sineOfOrder
                total.north += scale * along * present.slope
                total.east += scale * Double(m) * (g * sineOfOrder - h * cosineOfOrder) * present.value / sine
                total.down -= scale * Double(n + 1) * along * present.value
            }
        }
        return total
    }
}

/// The Earth's magnetic field at a place, nT.
package struct MagneticField: Sendable, Equatable {
    package var north, east, down: Double

    /// nT.
    package var horizontalIntensity: Double { hypot(north, east) }
    /// Degrees by which magnetic north is east of true north, -180...180.
    package var declination: Double { atan2(east, north) * 180 / .pi }
    /// Degrees by which the field points below the horizon, -90...90.
    package var inclination: Double { atan2(down, horizontalIntensity) * 180 / .pi }
    /// nT.
    package var intensity: Double { hypot(horizontalIntensity, down) }
}

/// A place in geocentric spherical coordinates.
private struct SphericalPoint {
    let sineOfColatitude, cosineOfColatitude: Double
    /// Radians east.
    let longitude: Double
    /// The reference radius of the coefficients divided by the distance from the Earth's centre.
    let radiusRatio: Double
    /// Radians by which the geocentric latitude is less than the geodetic one, negated: the angle between both
    /// horizons.
    let turn: Double

    /// WGS 84: the equatorial radius, metres, and the flattening.
    private static let (equatorialRadius, flattening) = (6_378_137.0, 1 / 298.257223563)
    /// The geomagnetic reference radius, metres.
    private static let referenceRadius = 6_371_200.0
    /// Radians; a metre on the ground. The longitude, on which the directions at a pole depend, is kept so.
    private static let leastColatitude = 1.6e-7

    init(latitude: Double, longitude: Double, height: Double) {
        let limit = .pi / 2 - Self.leastColatitude
        let geodetic = min(limit, max(-limit, latitude * .pi / 180))
        let squared = Self.flattening * (2 - Self.flattening)
        let curvature = Self.equatorialRadius / (1 - squared * sin(geodetic) * sin(geodetic)).squareRoot()
        let axial = (curvature * (1 - squared) + height) * sin(geodetic)
        let radial = (curvature + height) * cos(geodetic)
        let radius = hypot(radial, axial)
        sineOfColatitude = radial / radius
        cosineOfColatitude = axial / radius
        self.longitude = longitude * .pi / 180
        radiusRatio = Self.referenceRadius / radius
        turn = atan2(axial, radial) - geodetic
    }
}
