@_spi(Programs) import LocationModel
import TestSupport
import Testing

/// What 100 restarts of a standing machine tell, over 300 places and secrets.
@Suite struct ReducedRestartTests {
    /// What becomes of a memory written before a restart.
    enum Store: Sendable {
        /// It is there.
        case keeps
        /// Every other time the daemon dies before it is written, so that the fix does not go out either.
        case losesUntold
        /// It is never there, though the fix went out.
        case losesTold
        /// Not even the secret is there.
        case losesSecret
    }

    @Test(arguments: [(Store.keeps, 60_000.0), (.losesUntold, 60_000), (.losesTold, 600), (.losesTold, 60_000)])
    func restartsTellNoMoreThanOneFix(_ store: Store, _ period: Double) throws {
        let score = try attack(store, period: period)
        #expect(score.best >= AttackScore.bound)
        if store != .losesTold { #expect(score.answers == 1) }
    }

    @Test func storeThatForgetsTheSecretWouldTellThePlace() throws {
        let score = try attack(.losesSecret, period: 60_000)
        #expect(score.best < 0.2 * AttackScore.bound)
    }

    private func attack(_ store: Store, period: Double) throws -> AttackScore {
        var random = SeededGenerator(seed: 1)
        var score = AttackScore()
        for _ in 0..<300 {
            var machine = ReducedAccuracy(using: &random)
            let truth = try random.position()
            var (location, seen) = (try Location.bare(), Observations())
            for restart in 0..<100 {
                let now = BootInstant(seconds: Double(restart) * period)
                machine = store == .losesSecret ? ReducedAccuracy(using: &random) : try machine.restarted()
                let saved = machine
                location.coordinate = try random.measured(truth, sigma: 30)
                let told = try machine.published(location, at: now).coordinate
                switch store {
                case .keeps, .losesSecret: seen.see(told)
                case .losesUntold:
                    if Bool.random(using: &random) { machine = saved } else { seen.see(told) }
                case .losesTold:
                    seen.see(told)
                    machine = saved
                }
            }
            try score.add(seen, truth: truth)
        }
        return score
    }
}
