@_spi(Programs) import LocationModel
import Testing

@_spi(Programs) @testable import RegionMonitoring

/// Which fixes make a visit, and what they say of its place and its beginning.
@Suite struct VisitEvidenceTests {
    private func visits(_ fixes: some Sequence<Location>) -> [Visit] {
        var monitor = MonitorEngine(MonitorSubjects(visits: true))
        return fixes.flatMap { monitor.applyFix($0) }
            .compactMap { if case .visit(let visit) = $0 { visit } else { nil } }
    }

    /// 2.5 m/s, of which 1 m/s may be the receiver's noise, is no movement for certain; 3.5 m/s is.
    @Test(arguments: [(2.5, 1.0, 1), (3.5, 1, 0), (2.5, nil, 0), (2, 0, 1)] as [(Double, Double?, Int)])
    func speedCountsBeyondItsAccuracy(speed: Double, accuracy: Double?, count: Int) {
        let fixes = stride(from: 0.0, through: 300, by: 30).map { time in
            var fix = fix(at: time, speed: speed)
            fix.speedAccuracy = accuracy
            return fix
        }
        #expect(visits(fixes).count == count)
    }

    /// A receiver that has just started knows where it is before it knows the time.
    @Test func arrivalIsTheTimeOfTheFirstFixThatHasOne() {
        let fixes = stride(from: 0.0, through: 300, by: 10).map { time in
            var fix = fix(at: time)
            if time == 0 { fix.timestamp = nil }
            return fix
        }
        #expect(visits(fixes).map(\.arrival) == [.at(10)])
    }

    @Test func placeIsTheMeanOfAllFixes() throws {
        func point(_ east: Double) -> SurfacePoint { SurfacePoint(fix(at: 0, east: east).coordinate) }
        var cluster = FixCluster(point(0), radius: 10)
        for count in 1...9 {
            cluster.add(FixCluster(point(30), radius: 10))
            let mean = 30 * Double(count) / Double(count + 1)
            #expect(cluster.middle.distance(to: point(mean)) < 0.01, "of \(count + 1) fixes")
        }
        // A cluster of ten counts as ten.
        var other = FixCluster(point(0), radius: 10, count: 10)
        other.add(cluster)
        #expect(other.middle.distance(to: point(13.5)) < 0.01)
    }
}
