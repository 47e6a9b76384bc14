import Foundation
@_spi(Programs) import LocationModel
import TestSupport
import Testing

@Suite struct ReducedTruthTests {
    /// A vehicle that starts anywhere, near a pole in every third journey, with a receiver that is off by as much as
    /// it says.
    @Test(arguments: [500.0, 2000, 50_000])
    func vehicleIsAlwaysWithinTheToldAccuracy(_ size: Double) throws {
        var random = SeededGenerator(seed: 1)
        var (worst, told) = (0.0, 0)
        for journey in 0..<300 {
            var reduced = ReducedAccuracy(size: size, using: &random)
            let pole = try #require(Coordinate(latitude: journey % 2 == 0 ? 90 : -90, longitude: 0))
            var truth =
                journey % 3 == 0 ? random.position(around: pole, within: 10 * size) : try random.position(within: 90)
            var course = Double.random(in: 0..<360, using: &random)
            for step in 0..<20 {
                course += .random(in: -30...30, using: &random)
                truth = truth.coordinate(atDistance: .random(in: 0...size, using: &random), bearing: course)
                let own: Double? = step % 4 == 3 ? nil : [3, 30, 900, 5000][Int.random(in: 0..<4, using: &random)]
                let now = BootInstant(seconds: Double(step) * 600)
                var location = try Location.bare()
                location.coordinate = random.position(around: truth, within: own ?? 0)
                location.horizontalAccuracy = own
                location.monotonicTime = now
                let fix = try reduced.published(location, at: now)
                let accuracy = try #require(fix.horizontalAccuracy)
                let error = fix.coordinate.distance(to: truth)
                #expect(error <= accuracy, "\(truth) \(fix)")
                #expect(accuracy.truncatingRemainder(dividingBy: 100) == 0)
                (worst, told) = (max(worst, error / accuracy), told + 1)
            }
        }
        #expect(told == 6000)
        #expect(worst > 0.6, "the told accuracy is not far more than needed")
    }

    @Test func accuracyThatMakesNoSenseIsTakenAsUnknown() throws {
        for accuracy in [-1, .nan, -.infinity, nil] as [Double?] {
            #expect(try told(accuracy) == 3700)
        }
        #expect(try told(.infinity).isFinite)
        #expect(try told(.greatestFiniteMagnitude) >= 40_000_000)
    }

    @Test func accuracyOfTheReceiverShowsInStepsOnly() throws {
        for (own, expected) in [(0.0, 3700.0), (3, 3700), (249, 3700), (251, 4200), (1000, 5200)] {
            #expect(try told(own) == expected, "\(own)")
        }
    }

    /// What is told of a fix in Berlin with the given accuracy.
    private func told(_ accuracy: Double?) throws -> Double {
        var random = SeededGenerator(seed: 2)
        var reduced = ReducedAccuracy(using: &random)
        var location = try Location.bare()
        location.horizontalAccuracy = accuracy
        let fix = try reduced.published(location, at: location.monotonicTime)
        return try #require(fix.horizontalAccuracy)
    }
}
