import Glibc

/// Hills along a closed road: the height is the place's, so that every lap climbs the same.
struct Relief: Sendable {
    private let waves: [(number: Double, phase: Double)]
    private let length: Double

    /// Steepest slope of one wave; four of them together stay below 7 %.
    private static let slope = 0.0175

    /// - Parameter length: Metres once around.
    init(length: Double, using generator: inout SeededGenerator) {
        self.length = length
        waves = [1, 2, 3, 5].map { ($0, generator.number(in: 0...2 * .pi)) }
    }

    /// Metres above the road's middle height, and metres up per metre forward.
    func height(at distance: Double) -> (height: Double, slope: Double) {
        waves.reduce(into: (height: 0.0, slope: 0.0)) { sum, wave in
            let rate = 2 * Double.pi * wave.number / length
            sum.height += Self.slope / rate * sin(rate * distance + wave.phase)
            sum.slope += Self.slope * cos(rate * distance + wave.phase)
        }
    }
}
