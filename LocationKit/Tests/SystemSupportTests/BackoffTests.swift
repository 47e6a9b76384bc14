@_spi(Programs) import SystemSupport
import Testing

@Suite struct BackoffTests {
    @Test func waitsDoubleToHalfAMinute() {
        var backoff = Backoff()
        for expected in [0.25, 0.5, 1, 2, 4, 8, 16] { #expect(abs(backoff.fail(jitter: 0.5) - expected) < 1e-9) }
        for _ in 0..<1000 { #expect(backoff.fail(jitter: 0.5) == 30) }
    }

    @Test func eachWaitIsSpreadByAFifth() {
        var (early, late) = (Backoff(), Backoff())
        for expected in [0.25, 0.5, 1, 2, 4, 8, 16, 30, 30] {
            let least = early.fail(jitter: 0)
            let most = late.fail(jitter: 1.0.nextDown)
            #expect(abs(least - 0.9 * expected) < 1e-9)
            #expect(abs(most - 1.1 * expected) < 1e-9)
        }
    }

    @Test func threeFailuresInARowMakeASourceUnavailable() {
        var backoff = Backoff()
        #expect(!backoff.isUnavailable)
        _ = backoff.fail(jitter: 0)
        _ = backoff.fail(jitter: 0)
        #expect(!backoff.isUnavailable)
        _ = backoff.fail(jitter: 0)
        #expect(backoff.isUnavailable)
        backoff.succeed()
        #expect(!backoff.isUnavailable)
        #expect(backoff.fail(jitter: 0.5) == 0.25)
    }
}
