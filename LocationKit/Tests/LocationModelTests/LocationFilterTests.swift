@_spi(Programs) import LocationModel
import Testing

@Suite struct LocationFilterTests {
    /// A fix so many seconds after the first by our clock, and by the receiver's unless it has none.
    private func fix(
        _ ours: Double, _ theirs: Double?, metresEast: Double = 0, accuracy: Double? = nil
    ) throws -> Location {
        var location = try Location.bare()
        location.coordinate = location.coordinate.coordinate(atDistance: metresEast, bearing: 90)
        location.monotonicTime = BootInstant(seconds: 1000 + ours)
        location.timestamp = theirs.map { UTCTime(seconds: 1_772_366_400, nanoseconds: Int64(($0 * 1e9).rounded())) }
        location.horizontalAccuracy = accuracy
        return location
    }

    private func admits(_ filter: LocationFilter, _ before: Location, _ after: Location) -> Bool {
        filter.admits(after, since: .init(before))
    }

    @Test func emptyFilterAdmitsEverything() throws {
        let filter = LocationFilter()
        let first = try fix(0, 0)
        #expect(filter.admits(first, since: nil))
        #expect(admits(filter, first, first))
        #expect(!filter.needsAnchor)
    }

    @Test func firstFixNeedsOnlyItsAccuracy() throws {
        let filter = LocationFilter(distance: 1000, interval: 1000, requiredAccuracy: 10)
        #expect(filter.needsAnchor)
        #expect(try filter.admits(fix(0, 0, accuracy: 10), since: nil))
        #expect(try !filter.admits(fix(0, 0, accuracy: 10.001), since: nil))
        #expect(try !filter.admits(fix(0, 0, accuracy: nil), since: nil))
    }

    @Test func distanceIsReachedExactly() throws {
        let filter = LocationFilter(distance: 10)
        let start = try fix(0, 0)
        #expect(try !admits(filter, start, fix(1, 1, metresEast: 9.999)))
        #expect(try admits(filter, start, fix(1, 1, metresEast: 10.001)))
        #expect(try admits(filter, start, fix(1, 1, metresEast: -10.001)))
    }

    /// Who has moved by the distance has moved far enough; the least less is not enough.
    @Test(arguments: [0.5, 10, 25.0, 1234.5, 100_000]) func distanceItselfIsFarEnough(metres: Double) throws {
        let start = try fix(0, 0)
        for bearing in [0.0, 45, 90, 200] {
            var end = try fix(1, 1)
            end.coordinate = start.coordinate.coordinate(atDistance: metres, bearing: bearing)
            let distance = start.coordinate.distance(to: end.coordinate)
            #expect(admits(LocationFilter(distance: distance), start, end), "\(metres) m, \(bearing)°")
            #expect(!admits(LocationFilter(distance: distance.nextUp), start, end), "\(metres) m, \(bearing)°")
            #expect(admits(LocationFilter(distance: distance.nextDown), start, end), "\(metres) m, \(bearing)°")
        }
    }

    @Test func bothDistanceAndIntervalMustBeReached() throws {
        let filter = LocationFilter(distance: 10, interval: 5)
        let start = try fix(0, 0)
        #expect(try !admits(filter, start, fix(6, 6, metresEast: 1)))
        #expect(try !admits(filter, start, fix(4, 4, metresEast: 20)))
        #expect(try admits(filter, start, fix(5, 5, metresEast: 20)))
    }

    @Test func zeroFiltersNothing() throws {
        let filter = LocationFilter(distance: 0, interval: 0)
        let start = try fix(0, 0)
        #expect(admits(filter, start, start))
    }

    @Test func jitterOfTheCableDoesNotHoldBack() throws {
        let filter = LocationFilter(interval: 1)
        for jitter in [-0.45, -0.2, 0, 0.2, 0.45] {
            #expect(try admits(filter, fix(0, 0), fix(1 + jitter, 1)), "\(jitter)")
        }
    }

    @Test func receiverThatDisagreesIsNotBelieved() throws {
        let filter = LocationFilter(interval: 10)
        let start = try fix(0, 0)
        #expect(try !admits(filter, start, fix(1, 86_400)), "its clock leapt forward")
        #expect(try admits(filter, start, fix(10, -86_400)), "its clock leapt back")
        #expect(try admits(filter, start, fix(10, 0)), "its clock stands still")
    }

    @Test func withoutReceiverTimeOurClockCounts() throws {
        let filter = LocationFilter(interval: 1)
        #expect(try !admits(filter, fix(0, nil), fix(0.99, nil)))
        #expect(try admits(filter, fix(0, nil), fix(1, nil)))
        #expect(try !admits(filter, fix(0, 0), fix(0.99, nil)))
        #expect(try admits(filter, fix(0, nil), fix(1, 1)))
    }

    /// Receivers of 3, 5 and 10 Hz tell milliseconds; thirds are rounded, and tenths are no binary numbers.
    @Test(arguments: [3, 5, 10])
    func intervalOfOneEpochAdmitsEveryEpoch(_ rate: Int) throws {
        let interval = (1000 / Double(rate)).rounded() / 1000
        let filter = LocationFilter(interval: interval)
        for index in 0..<(20 * rate) {
            func time(_ index: Int) -> Double { (Double(index) / Double(rate) * 1000).rounded() / 1000 }
            let jitter = -0.01 * interval
            let before = try fix(time(index), time(index))
            let after = try fix(time(index + 1) + jitter, time(index + 1))
            #expect(admits(filter, before, after), "epoch \(index)")
        }
    }

    @Test func everySecondEpochIsHeldBackByTwiceTheInterval() throws {
        let filter = LocationFilter(interval: 0.2)
        var anchor: LocationFilter.Anchor?
        var admitted: [Int] = []
        for index in 0..<20 {
            let location = try fix(Double(index) / 10, Double(index) / 10)
            guard filter.admits(location, since: anchor) else { continue }
            anchor = .init(location)
            admitted.append(index)
        }
        #expect(admitted == Array(stride(from: 0, to: 20, by: 2)))
    }
}
