import LocationModel
import Testing

@testable import locationd_nearby

@Suite struct ScanPaceTests {
    private let now = BootInstant(seconds: 100)

    @Test func scansAreAMinuteApart() {
        var pace = ScanPace()
        #expect(pace.delay(at: now, observed: BootInstant(seconds: 70)) == 30)
        #expect(pace.delay(at: now, observed: nil) == 0)
        // Whatever came of it.
        #expect(pace.delay(at: BootInstant(seconds: 101), observed: nil) == 59)
        #expect(pace.delay(at: BootInstant(seconds: 160), observed: BootInstant(seconds: 102)) == 2)
        #expect(pace.delay(at: BootInstant(seconds: 162), observed: BootInstant(seconds: 102)) == 0)
    }

    @Test func callsWantScansAndSoDoGoodLocationsForAWhile() {
        #expect(!ScanDemand().isThere(at: now))
        #expect(ScanDemand(calls: 1).isThere(at: now))
        #expect(ScanDemand(statements: 1).isThere(at: now))
        let demand = ScanDemand(location: now)
        #expect(demand.isThere(at: BootInstant(seconds: 110)))
        #expect(!demand.isThere(at: BootInstant(seconds: 110.1)))
    }
}
