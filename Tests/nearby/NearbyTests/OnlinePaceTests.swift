import LocationModel
import Testing

@testable import locationd_nearby

@Suite struct OnlinePaceTests {
    private func pause(after outcomes: OnlinePace.Outcome...) -> Double {
        var pace = OnlinePace()
        let now = BootInstant(seconds: 100)
        for outcome in outcomes { pace.end(outcome, at: now) }
        return pace.delay(at: now)
    }

    @Test func theFirstRequestNeedsNoPause() {
        #expect(OnlinePace().delay(at: BootInstant(seconds: 0)) == 0)
    }

    @Test func eachOutcomeHasItsPause() {
        #expect(pause(after: .answered) == 60)
        #expect(pause(after: .unknown) == 600)
        #expect(pause(after: .refused) == 3600)
        #expect(pause(after: .held(seconds: 5)) == 60, "never more often than usual")
        #expect(pause(after: .held(seconds: 7200)) == 7200)
    }

    @Test func failuresDoubleThePauseUpToAnHour() {
        #expect(pause(after: .failed) == 60)
        #expect(pause(after: .failed, .failed) == 120)
        #expect(pause(after: .failed, .failed, .failed, .failed, .failed, .failed, .failed, .failed) == 3600)
        #expect(pause(after: .failed, .failed, .answered, .failed) == 60)
    }

    @Test func thePauseEnds() {
        var pace = OnlinePace()
        pace.end(.answered, at: BootInstant(seconds: 100))
        #expect(pace.delay(at: BootInstant(seconds: 159)) == 1)
        #expect(pace.delay(at: BootInstant(seconds: 200)) == 0)
    }
}
