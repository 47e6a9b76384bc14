@_spi(Programs) import LocationModel
import TestSupport
import Testing

/// Attacks on a receiver that stands still, each by the best of an attacker's guesses over 300 places and secrets.
@Suite struct ReducedAttackTests {
    private let trials = 300

    @Test(arguments: [(3.0, 1.0), (30, 1), (3, 600), (30, 600)])
    func tenThousandFixesTellNoMoreThanOne(_ sigma: Double, _ period: Double) throws {
        var random = SeededGenerator(seed: 1)
        var score = AttackScore()
        for _ in 0..<trials {
            var machine = ReducedAccuracy(using: &random)
            let truth = try random.position()
            var (location, seen) = (try Location.bare(), Observations())
            // Drawn beforehand, for it is the noise that takes the time.
            let noisy = try (0..<500).map { _ in try random.measured(truth, sigma: sigma) }
            for index in 0..<10_000 {
                let now = BootInstant(seconds: Double(index) * period)
                location.coordinate = noisy[Int(truncatingIfNeeded: random.next() >> 1) % noisy.count]
                seen.see(machine.applyFix(location, at: now)?.coordinate)
            }
            try score.add(seen, truth: truth)
        }
        #expect(score.answers == 1)
        #expect(score.best >= AttackScore.bound)
    }

    @Test func whoKnowsTheSecretKnowsNoMoreThanTheCell() throws {
        var random = SeededGenerator(seed: 2)
        var score = AttackScore()
        for _ in 0..<trials {
            var machine = ReducedAccuracy(using: &random)
            var location = try Location.bare()
            let truth = try random.position()
            location.coordinate = truth
            let moment = BootInstant(seconds: 1000)
            let told = try machine.published(location, at: moment).coordinate
            var seen = Observations()
            seen.see(try machine.displacedBack(told))
            try score.add(seen, truth: truth)
        }
        #expect(score.best >= AttackScore.bound)
    }

    @Test func sixtyFourUsersTogetherSeeWhatOneSees() throws {
        var random = SeededGenerator(seed: 3)
        var score = AttackScore()
        for trial in 0..<(trials + 20) {
            var machine = ReducedAccuracy(using: &random)
            let truth = try random.position()
            let isMoving = trial % 16 == 15
            var (location, told, all) = (try Location.bare(), [Location](), Observations())
            var users = Array(repeating: Set<Location>(), count: 64)
            for second in 0..<1920 {
                let now = BootInstant(seconds: Double(second))
                let way = isMoving ? 30 * Double(second) : 0
                location.coordinate = try random.measured(
                    truth.coordinate(atDistance: way, bearing: 45), sigma: 30)
                location.sequence = Int64(second)
                if let fix = machine.applyFix(location, at: now) { told.append(fix) }
                // Every second another one asks, each of them at moments of its own.
                guard let answer = machine.current(at: now) else { continue }
                users[second % 64].insert(answer)
                all.see(answer.coordinate)
            }
            #expect(told.count == 4)
            for user in users { #expect(user == Set(told), "each sees them all") }
            if !isMoving { try score.add(all, truth: truth) }
        }
        #expect(score.best >= AttackScore.bound)
    }

    @Test func redrawingTheOffsetAtEachFixWouldTellThePlace() throws {
        var random = SeededGenerator(seed: 4)
        var score = AttackScore()
        let grid = AccuracyGrid()
        for _ in 0..<trials {
            let truth = try random.position()
            var seen = Observations()
            for _ in 0..<1000 {
                let offset = DiskPoint.random(using: &random)
                let measured = try random.measured(truth, sigma: 3)
                seen.see(grid.snap(offset.displacing(measured, radius: 1000)))
            }
            try score.add(seen, truth: truth)
        }
        #expect(score.best < 0.2 * AttackScore.bound)
    }

    @Test func anotherDisplacementEachMonthWouldTellThePlace() throws {
        var random = SeededGenerator(seed: 5)
        var score = AttackScore()
        for _ in 0..<trials {
            let truth = try random.position()
            var (location, seen) = (try Location.bare(), Observations())
            for _ in 0..<36 {
                var machine = ReducedAccuracy(using: &random)
                location.coordinate = try random.measured(truth, sigma: 3)
                seen.see(machine.applyFix(location, at: BootInstant(seconds: 0))?.coordinate)
            }
            try score.add(seen, truth: truth)
        }
        #expect(score.best < 0.3 * AttackScore.bound)
    }
}
