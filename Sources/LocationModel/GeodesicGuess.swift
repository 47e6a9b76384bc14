import Glibc

/// Where the search for the azimuth begins, or, for the shortest of lines, the answer.
enum GeodesicGuess {
    /// So short that the sphere's answer is exact: both azimuths and s₁₂ in metres.
    case answer(start: GeodesicAngle, end: GeodesicAngle, distance: Double)
    /// α₁ to begin with.
    case azimuth(GeodesicAngle)

    /// Lines of less than so many radians differ from the sphere's by less than rounding: some 0.2 m.
    private static var shortEnough: Double {
        let flattening = GeodesicEllipsoid.flattening
        return 0.1 * Double.ulpOfOne.squareRoot() / (flattening * (1 - flattening / 2) / 2).squareRoot()
    }

    /// Guesses by a sphere of the mean radius there, or by the astroid if the points are nearly antipodal.
    init(_ problem: GeodesicProblem) {
        let (first, second) = (problem.start, problem.end)
        let difference = second.sine * first.cosine - second.cosine * first.sine
        let cosineOfDifference = second.cosine * first.cosine + second.sine * first.sine
        let isShort = cosineOfDifference >= 0 && difference < 0.5 && second.cosine * problem.radians < 0.5

        // Equation 48: ω₁₂ for λ₁₂ at the mean latitude.
        var (longitude, stretch) = (problem.longitude, 1.0)
        if isShort {
            let (sine, cosine) = (first.sine + second.sine, first.cosine + second.cosine)
            let squaredSine = sine * sine / (sine * sine + cosine * cosine)
            stretch = (1 + GeodesicEllipsoid.secondEccentricitySquared * squaredSine).squareRoot()
            longitude = GeodesicAngle(radians: problem.radians / (GeodesicEllipsoid.axisRatio * stretch))
        }
        // Equations 49 to 51.
        let guess = Self.azimuth(first, second, longitude: longitude)
        let arc = GeodesicAngle(
            sine: guess.length,
            cosine: first.sine * second.sine + first.cosine * second.cosine * longitude.cosine)
        if isShort, arc.sine < Self.shortEnough {
            let end = GeodesicAngle(
                sine: first.cosine * longitude.sine,
                cosine: difference - first.cosine * second.sine * Self.versine(longitude))
            self = .answer(
                start: guess.normalized, end: end.normalized,
                distance: arc.radians * GeodesicEllipsoid.polarRadius * stretch)
        } else if arc.cosine >= 0
            || arc.sine >= 6 * GeodesicEllipsoid.thirdFlattening * .pi * first.cosine * first.cosine
        {
            self = .azimuth(Self.usable(guess))
        } else {
            self = .azimuth(Self.usable(Self.nearAntipodes(problem)))
        }
    }

    /// α₁ on the sphere, not normalized: its length is sin σ₁₂.
    private static func azimuth(
        _ first: GeodesicLatitude, _ second: GeodesicLatitude, longitude: GeodesicAngle
    ) -> GeodesicAngle {
        let (north, south) = (second.sine * first.cosine, second.cosine * first.sine)
        let squaredSine = longitude.sine * longitude.sine
        return GeodesicAngle(
            sine: second.cosine * longitude.sine,
            cosine: longitude.cosine >= 0
                ? north - south + south * squaredSine / (1 + longitude.cosine)
                : north + south - south * squaredSine / (1 - longitude.cosine))
    }

    /// α₁ from the place of the end among the geodesics near the antipode of the start (equations 53, 56 and 57).
    private static func nearAntipodes(_ problem: GeodesicProblem) -> GeodesicAngle {
        let (first, second) = (problem.start, problem.end)
        let epsilon = GeodesicEllipsoid.expansionParameter(cosineAtEquator: first.sine)
        let scale = GeodesicEllipsoid.flattening * first.cosine * GeodesicIntegral.longitudeScale(epsilon) * .pi
        let sum = second.sine * first.cosine + second.cosine * first.sine
        let x = atan2(-problem.longitude.sine, -problem.longitude.cosine) / scale
        let y = sum / (scale * first.cosine)
        // Near the cut locus' branch on the antipodal parallel, where y is all rounding.
        if y > -200 * Double.ulpOfOne, x > -1 - 1000 * Double.ulpOfOne.squareRoot() {
            let sine = min(1, -x)
            return GeodesicAngle(sine: sine, cosine: -(1 - sine * sine).squareRoot())
        }
        let root = GeodesicAstroid.root(x: x, y: y)
        let fromAntipode = GeodesicAngle(radians: -scale * x * root / (1 + root))
        return azimuth(
            first, second, longitude: GeodesicAngle(sine: fromAntipode.sine, cosine: -fromAntipode.cosine))
    }

    /// 1 − cos, without cancelling.
    private static func versine(_ angle: GeodesicAngle) -> Double {
        angle.cosine >= 0 ? angle.sine * angle.sine / (1 + angle.cosine) : 1 - angle.cosine
    }

    /// The azimuth at unit length; east if it does not point there at all.
    private static func usable(_ azimuth: GeodesicAngle) -> GeodesicAngle {
        azimuth.sine > 0 ? azimuth.normalized : GeodesicAngle(sine: 1, cosine: 0)
    }
}
