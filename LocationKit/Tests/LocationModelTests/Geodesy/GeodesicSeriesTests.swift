import Foundation
import Testing

@_spi(Programs) @testable import LocationModel

/// The series against the integrals they expand, evaluated numerically.
///
/// ε is eighteen times the Earth's greatest, so that every coefficient is seen: on the Earth a wrong one of high order
/// hides in nanometres. The tolerances are the terms that the series leave out.
@Suite struct GeodesicSeriesTests {
    private let epsilon = 0.03
    private var kSquared: Double { 4 * epsilon / ((1 - epsilon) * (1 - epsilon)) }
    private let arcs = [0.3, 0.7, 1.1, 1.5, 2.0, 2.6, 3.1]

    @Test func distanceIsItsIntegral() {
        for arc in arcs {
            let expected = integral(to: arc) { ($0).squareRoot() }
            #expect(abs(series(.I₁(epsilon), to: arc) - expected) < 1e-12, "\(arc)")
        }
    }

    @Test func reducedLengthIsItsIntegral() {
        for arc in arcs {
            let expected = integral(to: arc) { 1 / $0.squareRoot() }
            #expect(abs(series(.I₂(epsilon), to: arc) - expected) < 2e-12, "\(arc)")
        }
    }

    @Test func longitudeIsItsIntegral() {
        let flattening = WGS84.f
        for arc in arcs {
            let expected = integral(to: arc) { (2 - flattening) / (1 + (1 - flattening) * $0.squareRoot()) }
            #expect(abs(series(.I₃(epsilon), to: arc) - expected) < 7e-11, "\(arc)")
        }
    }

    @Test func reversedDistanceIsTheInverseOfDistance() {
        let distance = GeodesicSeries.I₁(epsilon)
        for arc in arcs {
            let tau = series(distance, to: arc) / distance.A
            let reversal = GeodesicSeries.C₁ʹ(epsilon)
            let reversed = tau + GeodesicSeries.sum(reversal, at: GeodesicAngle(radians: tau))
            #expect(abs(reversed - arc) < 7e-11, "\(arc)")
        }
    }

    private func series(_ integral: GeodesicSeries, to arc: Double) -> Double {
        integral(from: GeodesicAngle(radians: 0), to: GeodesicAngle(radians: arc), σ₁₂: arc)
    }

    /// The integral of a function of 1 + k² sin² σ from 0, by Simpson's rule.
    private func integral(to arc: Double, of function: (Double) -> Double) -> Double {
        let steps = 2000
        let values = (0...steps).map { step in
            let sine = sin(arc * Double(step) / Double(steps))
            let weight = step == 0 || step == steps ? 1.0 : step.isMultiple(of: 2) ? 2 : 4
            return weight * function(1 + kSquared * sine * sine)
        }
        return values.reduce(0, +) * arc / Double(steps) / 3
    }
}
