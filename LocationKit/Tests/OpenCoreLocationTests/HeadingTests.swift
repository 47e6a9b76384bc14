@_spi(Programs) import LocationModel
@_spi(Programs) import OpenCoreLocation
import Testing

@Suite struct HeadingTests {
    private let now = Date(timeIntervalSince1970: 1_772_366_400)

    private func heading(_ change: (inout Heading) -> Void) -> Heading {
        var heading = Heading()
        change(&heading)
        return heading
    }

    @Test func everythingKnownIsDelivered() {
        let received = CLHeading(
            heading {
                $0.trueHeading = 94
                $0.magneticHeading = 90
                $0.accuracy = 5
                $0.timestamp = UTCTime(seconds: 1_772_366_399)
            }, variation: 7, now: now)
        #expect(received.trueHeading == 94)
        #expect(received.magneticHeading == 90)
        #expect(received.headingAccuracy == 5)
        #expect(received.timestamp == now - 1)
        #expect([received.x, received.y, received.z] == [0, 0, 0])
    }

    @Test func nothingKnownIsNegative() {
        let received = CLHeading(heading { $0.pitch = 3 }, variation: 4, now: now)
        #expect(received.trueHeading == -1)
        #expect(received.magneticHeading == -1)
        #expect(received.headingAccuracy == -1)
        #expect(received.timestamp == now)
        #expect(CLHeading().headingAccuracy == -1)
    }

    @Test(arguments: [(10.0, 4.0, 6.0), (2, 4, 358), (358, -4, 2), (4, 4, 0), (0, 1e-20, 0)])
    func magneticHeadingIsComputed(_ geographic: Double, _ variation: Double, _ expected: Double) {
        let received = CLHeading(heading { $0.trueHeading = geographic }, variation: variation, now: now)
        #expect(received.magneticHeading == expected)
        #expect(received.trueHeading == geographic)
        #expect(received.headingAccuracy == 180)
    }

    @Test func trueHeadingIsComputedIfTheVariationIsKnown() {
        let magnetic = heading { $0.magneticHeading = 358 }
        #expect(CLHeading(magnetic, variation: 4, now: now).trueHeading == 2)
        #expect(CLHeading(magnetic, now: now).trueHeading == -1)
        #expect(CLHeading(heading { $0.trueHeading = 30 }, now: now).magneticHeading == 30)
    }

    @Test func archivesKeepEverything() throws {
        let received = CLHeading(
            heading {
                $0.trueHeading = 94
                $0.magneticHeading = 90
                $0.accuracy = 5
            }, now: now)
        let copy = try #require(try archiveCopy(received))
        #expect([copy.trueHeading, copy.magneticHeading, copy.headingAccuracy] == [94, 90, 5])
        #expect(copy.timestamp == now)
        #expect(received.copy() as? CLHeading === received)
        #expect(received.description.hasPrefix("magneticHeading 90.00 trueHeading 94.00 accuracy 5.00 x +0.000"))
    }
}
