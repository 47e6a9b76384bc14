import Foundation
@_spi(Programs) import LocationModel
import TestSupport
import Testing

/// A machine that leaves home every day, and an attacker who looks at what is told on its trips.
@Suite struct ReducedTripTests {
    /// Where trips lead: to so many places that stay the same, or each to one of its own.
    enum Destinations: Sendable {
        case fixed(Int)
        case anywhere
    }

    /// Fewer machines the longer it lasts, for each trip takes its time.
    @Test(
        arguments: [Destinations.fixed(4), .fixed(8), .fixed(15), .anywhere],
        [(days: 182, machines: 100), (365, 60), (1825, 30)])
    func tripsOfYearsTellNoMoreOfHomeThanOneNight(
        _ destinations: Destinations, _ walk: (days: Int, machines: Int)
    ) throws {
        let score = try attack(destinations, days: walk.days, machines: walk.machines)
        #expect(score.best >= AttackScore.bound, "\(score.errors)")
    }

    @Test func anotherDisplacementEachMonthWouldTellHome() throws {
        let score = try attack(.anywhere, days: 365, machines: 60, newSecretAfter: 30)
        #expect(score.best < 0.5 * AttackScore.bound, "\(score.errors)")
    }

    /// What is left for who has found the secret out, by a map or by knowing where the machine was, is no secret.
    @Test func whoKnowsTheSecretFindsHome() throws {
        let score = try attack(.anywhere, days: 365, machines: 20, knowsSecret: true)
        #expect(score.best < 0.3 * AttackScore.bound, "\(score.errors)")
    }

    /// The reason for all of this: nothing tells a machine from another that lives elsewhere and has another secret.
    @Test func machinesWithDifferentHomesAnswerTheSame() throws {
        var random = SeededGenerator(seed: 3)
        var (answers, equal) = (0, 0)
        for _ in 0..<40 {
            let plane = Plane(origin: try random.position(within: 50))
            var one = ReducedAccuracy(using: &random)
            var other = ReducedAccuracy(using: &random)
            let east = (one.displacement.east - other.displacement.east) * one.reach
            let north = (one.displacement.north - other.displacement.north) * one.reach
            var now = BootInstant(seconds: 0)
            for _ in 0..<100 {
                let trip = Trip(to: random.position(within: 3000...20_000), using: &random)
                for point in trip.points(using: &random) {
                    now = now.advanced(bySeconds: 600)
                    let told = try one.published(plane.location(point), at: now)
                    let shifted = Plane.Point(east: point.east + east, north: point.north + north)
                    let same = try other.published(plane.location(shifted), at: now)
                    (answers, equal) = (answers + 1, equal + (told.coordinate == same.coordinate ? 1 : 0))
                    #expect(told.horizontalAccuracy == same.horizontalAccuracy)
                }
            }
        }
        // The plane is not the Earth: a displacement differs by some metres 20 km away, which a cell's border shows.
        #expect(Double(equal) >= 0.985 * Double(answers), "\(equal) of \(answers)")
        #expect(answers > 10_000)
    }

    private func attack(
        _ destinations: Destinations, days: Int, machines: Int, newSecretAfter month: Int = .max,
        knowsSecret: Bool = false
    ) throws -> TripScore {
        var random = SeededGenerator(seed: 1)
        var score = TripScore()
        for _ in 0..<machines {
            var machine = ReducedAccuracy(using: &random)
            let home = try random.position(within: 60)
            let plane = Plane(origin: home)
            var goals: [Plane.Point] = []
            if case .fixed(let count) = destinations {
                goals = (0..<count).map { _ in random.position(within: 3000...20_000) }
            }
            var now = BootInstant(seconds: 0)
            var seen = TripObservations()
            for day in 0..<days {
                if day > 0, day % month == 0 { machine = ReducedAccuracy(using: &random) }
                let goal = goals.randomElement(using: &random) ?? random.position(within: 3000...20_000)
                var answers: [Plane.Point] = []
                for point in Trip(to: goal, using: &random).points(using: &random) {
                    now = now.advanced(bySeconds: 600)
                    var told = try machine.published(plane.location(point), at: now).coordinate
                    if knowsSecret { told = try machine.displacedBack(told) }
                    answers.append(plane.point(told))
                }
                seen.see(trip: answers)
            }
            score.add(seen)
        }
        return score
    }
}
