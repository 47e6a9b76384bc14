/// The inverse problem in the one form that has to be solved: from the point nearer to a pole, which lies in the
/// south, to the east (equation 44).
struct GeodesicProblem {
    /// β₁ ≤ 0.
    let start: GeodesicLatitude
    /// β₂, |β₂| ≤ |β₁|.
    let end: GeodesicLatitude
    /// λ₁₂, 0...180°.
    let longitude: GeodesicAngle
    /// λ₁₂, radians.
    let radians: Double
    /// 180° − λ₁₂, degrees, exact where it is small.
    let supplement: Double
    /// True if the start is a pole.
    let startsAtPole: Bool

    private let isSwapped: Bool
    private let eastward: Double
    private let northward: Double

    /// The problem of two positions, turned over as need be.
    init(from first: Coordinate, to second: Coordinate) {
        let (difference, error) = Self.difference(from: first.longitude, to: second.longitude)
        let sign: Double = difference < 0 ? -1 : 1
        longitude = GeodesicAngle(degrees: sign * difference, correction: sign * error)
        radians = difference.magnitude * (.pi / 180)
        supplement = (180 - difference.magnitude) - sign * error

        var latitudes = (GeodesicAngle.coarsened(first.latitude), GeodesicAngle.coarsened(second.latitude))
        isSwapped = latitudes.0.magnitude < latitudes.1.magnitude
        if isSwapped { latitudes = (latitudes.1, latitudes.0) }
        eastward = isSwapped ? -sign : sign
        northward = latitudes.0 < 0 ? 1 : -1
        startsAtPole = latitudes.0.magnitude == 90

        let start = GeodesicLatitude(degrees: northward * latitudes.0)
        var end = GeodesicLatitude(degrees: northward * latitudes.1)
        // Where one of sine and cosine changes too little to tell two latitudes apart, make both say that they are one.
        if start.cosine < -start.sine {
            if end.cosine == start.cosine { end.sine = Double(signOf: end.sine, magnitudeOf: start.sine) }
        } else if end.sine.magnitude == -start.sine {
            end.cosine = start.cosine
        }
        self.start = start
        self.end = end
    }

    /// The azimuth at the first position, given those at both points of this problem.
    func azimuth(_ atStart: GeodesicAngle, _ atEnd: GeodesicAngle) -> GeodesicAngle {
        let found = isSwapped ? atEnd : atStart
        let turned: Double = isSwapped ? -1 : 1
        return GeodesicAngle(sine: found.sine * turned * eastward, cosine: found.cosine * turned * northward)
    }

    /// The longitudes' difference within ±180 degrees, and what it lacks of the exact one.
    private static func difference(from first: Double, to second: Double) -> (Double, error: Double) {
        let (sum, error) = exactSum(second, -first)
        // Exact, for what is folded is within a factor of two of 360.
        let folded = exactSum(sum > 180 ? sum - 360 : sum < -180 ? sum + 360 : sum, error)
        // Half a turn and a little more is a little less than half a turn the other way.
        guard folded.0.magnitude == 180, folded.error != 0 else { return folded }
        return (folded.error > 0 ? -180 : 180, folded.error)
    }

    /// The rounded sum and its error (Knuth, "The Art of Computer Programming" 2, 4.2.2, theorem B).
    private static func exactSum(_ first: Double, _ second: Double) -> (Double, error: Double) {
        let sum = first + second
        let secondPart = sum - first
        let firstPart = sum - secondPart
        return (sum, (first - firstPart) + (second - secondPart))
    }
}
