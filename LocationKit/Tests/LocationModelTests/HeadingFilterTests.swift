@_spi(Programs) import LocationModel
import Testing

struct HeadingFilterTests {
    private func heading(_ magnetic: Double?, true geographic: Double? = nil) -> Heading {
        var heading = Heading()
        heading.magneticHeading = magnetic
        heading.trueHeading = geographic
        return heading
    }

    private func admits(_ degrees: Double, _ last: Heading?, _ next: Heading) -> Bool {
        HeadingFilter(degrees: degrees).admits(next, since: last)
    }

    @Test func theFirstOneIsAdmitted() {
        #expect(admits(180, nil, heading(1)))
    }

    @Test(arguments: [
        (10.0, 14.9, false), (10, 15, true), (358, 3, true), (358, 2.9, false), (3, 358, true), (0, 180, true),
    ])
    func theSmallerAngleCounts(_ one: Double, _ other: Double, _ isAdmitted: Bool) {
        #expect(admits(5, heading(one), heading(other)) == isAdmitted)
        #expect(admits(5, heading(nil, true: one), heading(nil, true: other)) == isAdmitted)
    }

    @Test func whicheverTurnedFartherCounts() {
        #expect(admits(5, heading(10, true: 10), heading(11, true: 15)))
        #expect(admits(5, heading(10, true: 10), heading(15, true: 11)))
        #expect(!admits(5, heading(10, true: 10), heading(14, true: 14)))
    }

    @Test func aDirectionThatComesOrGoesIsAdmitted() {
        #expect(admits(5, heading(10), heading(10, true: 12)))
        #expect(admits(5, heading(10, true: 12), heading(10)))
        #expect(admits(5, heading(10), heading(nil, true: 10)))
    }

    @Test func withoutADirectionThereIsNothingToCompare() {
        var attitude = Heading()
        attitude.pitch = 4
        #expect(!admits(0, nil, attitude))
        #expect(!admits(5, heading(1), attitude))
    }

    @Test(arguments: [0, -1, Double.nan]) func noAngleAdmitsEverything(_ degrees: Double) {
        #expect(admits(degrees, heading(1), heading(1)))
    }
}
