import LocationModel
import OpenCoreLocation
import Testing

@Suite struct HeadingTests {
    private let now = Date(timeIntervalSince1970: 1_772_366_400)

    private func heading(_ change: (inout Heading) -> Void) -> Heading {
        var heading = Heading()
        change(&heading)
        return heading
    }

    @Test func everythingKnownIsTold() {
        let told = CLHeading(
            heading {
                $0.trueHeading = 94
                $0.magneticHeading = 90
                $0.accuracy = 5
                $0.timestamp = UTCTime(seconds: 1_772_366_399)
            }, variation: 7, now: now)
        #expect(told.trueHeading == 94)
        #expect(told.magneticHeading == 90)
        #expect(told.headingAccuracy == 5)
        #expect(told.timestamp == now - 1)
        #expect([told.x, told.y, told.z] == [0, 0, 0])
    }

    @Test func nothingKnownIsNegative() {
        let told = CLHeading(heading { $0.pitch = 3 }, variation: 4, now: now)
        #expect(told.trueHeading == -1)
        #expect(told.magneticHeading == -1)
        #expect(told.headingAccuracy == -1)
        #expect(told.timestamp == now)
        #expect(CLHeading().headingAccuracy == -1)
    }

    @Test(arguments: [(10.0, 4.0, 6.0), (2, 4, 358), (358, -4, 2), (4, 4, 0), (0, 1e-20, 0)])
    func magneticHeadingIsComputed(_ geographic: Double, _ variation: Double, _ expected: Double) {
        let told = CLHeading(heading { $0.trueHeading = geographic }, variation: variation, now: now)
        #expect(told.magneticHeading == expected)
        #expect(told.trueHeading == geographic)
        #expect(told.headingAccuracy == 180)
    }

    @Test func trueHeadingIsComputedIfTheVariationIsKnown() {
        let magnetic = heading { $0.magneticHeading = 358 }
        #expect(CLHeading(magnetic, variation: 4, now: now).trueHeading == 2)
        #expect(CLHeading(magnetic, now: now).trueHeading == -1)
        #expect(CLHeading(heading { $0.trueHeading = 30 }, now: now).magneticHeading == 30)
    }

    @Test func archivesKeepEverything() throws {
        let told = CLHeading(
            heading {
                $0.trueHeading = 94
                $0.magneticHeading = 90
                $0.accuracy = 5
            }, now: now)
        let copy = try #require(try archiveCopy(told))
        #expect([copy.trueHeading, copy.magneticHeading, copy.headingAccuracy] == [94, 90, 5])
        #expect(copy.timestamp == now)
        #expect(told.copy() as? CLHeading === told)
        #expect(told.description.hasPrefix("magneticHeading 90.00 trueHeading 94.00 accuracy 5.00 x +0.000"))
    }
}
