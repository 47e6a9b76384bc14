@_spi(Programs) import LocationModel
@_spi(Programs) import SystemSupport
import Testing

@Suite struct NewestRateTests {
    private var rate = NewestRate<Heading>()
    private let start = BootInstant(seconds: 100)

    private func heading(_ degrees: Double) -> Heading {
        var heading = Heading()
        heading.magneticHeading = degrees
        return heading
    }

    @Test mutating func tenThousandASecondBecomeTwentyOneAndTheLastOneCounts() {
        var delivered: [Heading] = []
        var coalesced = 0
        var floods = 0
        for number in 0..<10_000 {
            let now = start.advanced(bySeconds: Double(number) / 10_000)
            if let released = rate.release(at: now) { delivered.append(released) }
            if rate.isFlood(at: now) { floods += 1 }
            let next = heading(Double(number % 360))
            let (verdict, passesOver) = rate.admit(next, at: now)
            if verdict == .deliver { delivered.append(next) }
            if passesOver { coalesced += 1 }
        }
        if let last = rate.release(at: start.advanced(bySeconds: 1.1)) { delivered.append(last) }
        #expect((20...21).contains(delivered.count))
        #expect(delivered.last == heading(Double(9_999 % 360)))
        #expect(coalesced == 10_000 - delivered.count)
        #expect(floods == 1)
    }

    @Test mutating func slowHeadingsAreDeliveredAtOnce() {
        for number in 0..<40 {
            let now = start.advanced(bySeconds: Double(number) * 0.06)
            #expect(rate.admit(heading(1), at: now) == (.deliver, false))
            #expect(rate.deadline == nil)
        }
    }

    @Test mutating func theHeadingThatWaitsIsReleasedInTime() {
        #expect(rate.admit(heading(1), at: start) == (.deliver, false))
        let soon = start.advanced(bySeconds: 0.01)
        #expect(rate.admit(heading(2), at: soon) == (.wait, false))
        #expect(rate.admit(heading(3), at: soon) == (.wait, true))
        #expect(rate.deadline == start.advanced(bySeconds: 0.05))
        #expect(rate.release(at: start.advanced(bySeconds: 0.04)) == nil)
        #expect(rate.release(at: start.advanced(bySeconds: 0.05)) == heading(3))
        #expect(rate.deadline == nil)
    }

    @Test mutating func theHeadingThatWaitsTooLongIsPassedOverByTheNext() {
        _ = rate.admit(heading(1), at: start)
        _ = rate.admit(heading(2), at: start.advanced(bySeconds: 0.01))
        #expect(rate.admit(heading(3), at: start.advanced(bySeconds: 0.06)) == (.deliver, true))
        #expect(rate.release(at: start.advanced(bySeconds: 1)) == nil)
    }
}
