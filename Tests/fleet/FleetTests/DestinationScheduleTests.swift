@_spi(Programs) import LocationModel
import Testing

@testable import Fleet

/// When a server is sent the next report, and when none any more.
@Suite struct DestinationScheduleTests {
    private typealias Outcome = DestinationSchedule.Outcome

    private let start = BootInstant(seconds: 1000)
    /// The factor is 1.
    private var schedule = DestinationSchedule(pace: 0, jitter: { 0.5 })

    /// That something is sent so many seconds after a moment, and not a millisecond before.
    private func expectPause(_ seconds: Double, after moment: BootInstant, _ comment: Comment? = nil) {
        let end = moment.advanced(bySeconds: seconds)
        #expect(schedule.next(at: end) == .send, comment)
        guard case .wait(let rest) = schedule.next(at: end.advanced(bySeconds: -0.001)) else {
            Issue.record("it does not wait for \(seconds) s")
            return
        }
        #expect(abs(rest - 0.001) < 1e-6, comment)
    }

    @Test mutating func deliveredReportIsFollowedAtOnceOrByThePace() {
        #expect(schedule.next(at: start) == .send)
        schedule.apply(.delivered, at: start)
        #expect(schedule.next(at: start) == .send && schedule.trouble == nil)
        schedule = DestinationSchedule(pace: 30)
        schedule.apply(.delivered, at: start)
        expectPause(30, after: start)
    }

    @Test mutating func pausesGrowToFiveMinutes() {
        for (count, pause) in [1.0, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300].enumerated() {
            let now = start.advanced(bySeconds: Double(count) * 1000)
            schedule.apply(.failed(words: "away"), at: now)
            expectPause(pause, after: now, "\(count)")
            #expect(schedule.trouble == "away" && !schedule.isStopped)
        }
        for _ in 0..<2000 { schedule.apply(.failed(words: "away"), at: start) }
        expectPause(300, after: start, "the exponent is bounded")
        schedule.apply(.delivered, at: start)
        schedule.apply(.failed(words: "away"), at: start)
        expectPause(1, after: start, "a success forgets the failures")
    }

    @Test mutating func pausesAreSpreadByHalf() {
        for (jitter, pause) in [(0.0, 0.5), (0.999, 1.499)] {
            schedule = DestinationSchedule(pace: 0, jitter: { jitter })
            schedule.apply(.failed(words: "away"), at: start)
            expectPause(pause, after: start)
        }
    }

    @Test mutating func serverDecidesTheHoldWithinLimits() {
        for (seconds, pause) in [(0.0, 1.0), (0.9, 1), (42, 42), (3600, 3600), (3601, 3600), (1e12, 3600)] {
            schedule.apply(.held(seconds: seconds, words: "busy"), at: start)
            expectPause(pause, after: start)
            #expect(schedule.trouble == "busy")
        }
        schedule.apply(.failed(words: "away"), at: start)
        expectPause(1, after: start, "a hold is no failure")
    }

    @Test mutating func refusalStopsAtOnceUntilSomethingChanges() {
        schedule.apply(.refused(words: "wrong token"), at: start)
        #expect(schedule.next(at: start.advanced(bySeconds: 1e6)) == .rest && schedule.isStopped)
        #expect(schedule.trouble == "wrong token")
        schedule.resume()
        #expect(schedule.next(at: start) == .send && !schedule.isStopped && schedule.trouble == nil)
    }

    @Test mutating func thirdRejectionInARowStops() {
        for _ in 0..<2 { schedule.apply(.rejected(words: "unknown device"), at: start) }
        expectPause(2, after: start)
        schedule.apply(.delivered, at: start)
        for _ in 0..<2 { schedule.apply(.rejected(words: "unknown device"), at: start) }
        expectPause(2, after: start, "a success forgets the rejections")
        schedule.apply(.failed(words: "away"), at: start)
        #expect(!schedule.isStopped, "a failure is no rejection")
        schedule.apply(.rejected(words: "unknown device"), at: start)
        #expect(schedule.next(at: start.advanced(bySeconds: 1e6)) == .rest && schedule.isStopped)
        schedule.resume()
        schedule.apply(.rejected(words: "unknown device"), at: start)
        expectPause(1, after: start, "resuming forgets the rejections")
    }

    @Test mutating func nothingIsSentWhilePausedOrStoppedBefore() {
        schedule.isPaused = true
        #expect(schedule.next(at: start) == .rest)
        schedule.isPaused = false
        #expect(schedule.next(at: start) == .send)
        schedule.stop("wrong token")
        #expect(schedule.next(at: start) == .rest && schedule.trouble == "wrong token" && schedule.isStopped)
    }
}
