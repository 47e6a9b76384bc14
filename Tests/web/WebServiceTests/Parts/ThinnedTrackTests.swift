@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import Testing

@testable import WebService

/// What is left of a long track for a map.
@Suite struct ThinnedTrackTests {
    private func point(_ second: Int, isAfterGap: Bool = false) throws -> TrackReply.Point {
        let location = Location(
            coordinate: try #require(Coordinate(latitude: 48, longitude: 9)),
            monotonicTime: BootInstant(seconds: Double(second)), source: SourceInformation(name: "gpsd"))
        return TrackReply.Point(location, time: UTCTime(seconds: Int64(second)), isAfterGap: isAfterGap)
    }

    private func thinned(
        _ count: Int, limit: Int, gaps: Set<Int> = []
    ) throws -> (points: [TrackReply.Point], isThinned: Bool) {
        var track = ThinnedTrack(limit: limit)
        for second in 0..<count { track.append(try point(second, isAfterGap: gaps.contains(second))) }
        #expect(track.total == count)
        return track.finish()
    }

    private func seconds(_ points: [TrackReply.Point]) -> [Int] {
        points.map { Int($0.time.seconds(since: UTCTime(seconds: 0))) }
    }

    @Test func shortTrackIsAsItIs() throws {
        for count in [0, 1, 99, 100] {
            let (points, isThinned) = try thinned(count, limit: 100, gaps: [50])
            #expect(seconds(points) == Array(0..<count) && !isThinned)
            #expect(points.filter { $0.afterGap == true }.count == (count > 50 ? 1 : 0))
        }
    }

    @Test(arguments: [101, 200, 1000, 1234, 19_999]) func longTrackKeepsEveryNth(count: Int) throws {
        let (points, isThinned) = try thinned(count, limit: 100)
        let kept = seconds(points)
        #expect(isThinned && kept.count <= 100 && kept.count >= 50, "\(kept.count)")
        #expect(kept.first == 0 && kept.last == count - 1)
        let steps = Set(zip(kept, kept.dropFirst()).map { $1 - $0 }.dropLast())
        #expect(steps.count == 1, "\(steps)")
    }

    @Test func endsOfGapsAreKept() throws {
        // No point before them would be kept without the gap.
        let gaps: Set = [334, 778, 4002]
        let (points, _) = try thinned(5000, limit: 100, gaps: gaps)
        let kept = Set(seconds(points))
        for gap in gaps { #expect(kept.contains(gap) && kept.contains(gap - 1), "\(gap)") }
        #expect(Set(seconds(points.filter { $0.afterGap == true })) == gaps)
        #expect(points.count <= 100)
    }

    /// There is no room for all ends; still no line is drawn over all gaps.
    @Test func trackOfGapsIsBoundedAndKeepsGaps() throws {
        let (points, isThinned) = try thinned(20_000, limit: 100, gaps: Set(stride(from: 1, to: 20_000, by: 2)))
        #expect(isThinned && points.count <= 100 && points.count >= 25)
        #expect(points.dropFirst().allSatisfy { $0.afterGap == true })
    }
}
