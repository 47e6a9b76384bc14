@_spi(Programs) import LocationModel
import TestSupport
import Testing

/// A machine that is carried between home and work for two years, and an attacker who knows when it is at home.
@Suite struct ReducedCommuteTests {
    @Test func yearsOfCommutingTellNoMoreOfHomeThanOneNight() throws {
        let score = try attack { machine, _ in machine }
        #expect(score.best >= AttackScore.bound)
    }

    @Test func whoKnowsTheSecretKnowsNoMoreThanTheCell() throws {
        let score = try attack(knowsSecret: true) { machine, _ in machine }
        #expect(score.best >= AttackScore.bound)
    }

    @Test func forgettingAllButTheSecretTellsNoMore() throws {
        let score = try attack { machine, _ in
            ReducedAccuracy(grid: machine.grid, displacement: machine.displacement)
        }
        #expect(score.best >= AttackScore.bound)
    }

    @Test func forgettingTheSecretTooWouldTellHome() throws {
        let score = try attack { _, random in ReducedAccuracy(using: &random) }
        #expect(score.best < 0.5 * AttackScore.bound)
    }

    private func attack(
        knowsSecret: Bool = false, restart: (ReducedAccuracy, inout SeededGenerator) -> ReducedAccuracy
    ) throws -> AttackScore {
        var random = SeededGenerator(seed: 1)
        var score = AttackScore()
        for _ in 0..<300 {
            var machine = ReducedAccuracy(using: &random)
            let home = try random.position()
            let way = Double.random(in: 3000...20_000, using: &random)
            let bearing = Double.random(in: 0..<360, using: &random)
            let work = home.coordinate(atDistance: way, bearing: bearing)
            var (location, seen, now) = (try Location.bare(), Observations(), BootInstant(seconds: 0))
            for _ in 0..<365 {
                // Every other day: two fixes at home, one anywhere on the way, two at work, one on the way back.
                for stop in 0..<6 {
                    let truth =
                        switch stop {
                        case 0, 1: home
                        case 3, 4: work
                        default:
                            home.coordinate(atDistance: .random(in: 0...way, using: &random), bearing: bearing)
                        }
                    location.coordinate = try random.measured(truth, sigma: 10)
                    let told = try machine.published(location, at: now).coordinate
                    if stop < 2 { seen.see(knowsSecret ? try machine.displacedBack(told) : told) }
                    machine = restart(machine, &random)
                    now = now.advanced(bySeconds: 28_800)
                }
            }
            try score.add(seen, truth: home)
        }
        return score
    }
}
