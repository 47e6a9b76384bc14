@_spi(Programs) import LocationModel
import Testing

@testable import TrackHistory

/// Which trips, stays and gaps a drive makes.
@Suite struct TrackRecorderTests {
    private var recorder = TrackRecorder(.init())
    private var drive: Drive

    init() throws {
        drive = Drive(at: try #require(Coordinate(latitude: 52, longitude: 13)))
    }

    /// What the locations from this one on change, but for the points themselves.
    private mutating func events(from first: Int = 0) -> [TrackChange] {
        changes(from: first).filter { change in
            switch change {
            case .add, .removePrevious: false
            default: true
            }
        }
    }

    private mutating func changes(from first: Int = 0) -> [TrackChange] {
        drive.points[first...].flatMap { recorder.add($0, at: drive.now) }
    }

    @Test mutating func driveBetweenTwoStaysIsATrip() throws {
        drive.stay(seconds: 600)
        drive.move(seconds: 600, speed: 15, bearing: 40)
        drive.stay(seconds: 600)
        let events = events()
        guard events.count == 7, case .beginTrip = events[0], case .endTrip(let noTrip, _) = events[1],
            case .beginStay(let home) = events[2],
            case .endStay(let left) = events[3], case .beginTrip(let begin) = events[4],
            case .endTrip(let end, let speed) = events[5], case .beginStay = events[6]
        else {
            Issue.record("\(events)")
            return
        }
        #expect(noTrip == home.arrival && begin == left.departure && speed == 15)
        #expect(abs(begin.seconds(since: Drive.begin) - 600) <= 10 && abs(end.seconds(since: Drive.begin) - 1200) <= 10)
    }

    @Test mutating func stayCostsOneLocationEachInterval() {
        drive.noise = 8
        drive.stay(seconds: 4 * 3600)
        let kept = changes().reduce(0) { count, change in
            switch change {
            case .add: count + 1
            case .removePrevious: count - 1
            default: count
            }
        }
        // The five minutes before it is known to be a stay, and then one each five minutes.
        #expect(kept < 300 + 4 * 12 + 2, "\(kept)")
    }

    /// However short the pause is, and although the machine stands where it stood.
    @Test mutating func pauseEndsTheStayAndIsAGap() throws {
        drive.stay(seconds: 600)
        _ = changes()
        let ending = recorder.interrupt()
        guard case .endStay(let stay)? = ending.last, ending.count == 1 else {
            Issue.record("\(ending)")
            return
        }
        #expect(stay.departure == drive.now && !stay.isPresent)
        drive.wait(seconds: 5)
        drive.stay(seconds: 2)
        let after = events(from: 600)
        guard after.count == 2, case .addGap(let from, let to) = after[0], case .beginTrip = after[1] else {
            Issue.record("\(after)")
            return
        }
        #expect(to.time.seconds(since: from.time) == 6)
    }

    @Test mutating func pauseEndsTheTrip() throws {
        drive.move(seconds: 100, speed: 20, bearing: 0)
        _ = changes()
        let end = drive.now
        let ending = recorder.interrupt()
        #expect(ending == [.endTrip(end, maximumSpeed: 20)])
        drive.move(seconds: 10, speed: 20, bearing: 0)
        let after = events(from: 100)
        guard after.count == 2, case .addGap = after[0], case .beginTrip = after[1] else {
            Issue.record("\(after)")
            return
        }
    }

    @Test mutating func silenceIsAGapAndALongOneEndsTheTrip() {
        drive.move(seconds: 100, speed: 20, bearing: 0)
        drive.wait(seconds: 300)
        drive.move(seconds: 100, speed: 20, bearing: 0)
        drive.wait(seconds: 3600)
        drive.move(seconds: 100, speed: 20, bearing: 0)
        let events = events()
        guard events.count == 5, case .beginTrip = events[0], case .addGap(let from, let to) = events[1],
            case .addGap = events[2], case .endTrip(let end, _) = events[3], case .beginTrip(let begin) = events[4]
        else {
            Issue.record("\(events)")
            return
        }
        #expect(from.time.seconds(since: Drive.begin) == 100 && to.time.seconds(since: Drive.begin) == 401)
        #expect(end.seconds(since: Drive.begin) == 500 && begin.seconds(since: Drive.begin) == 4101)
    }

    @Test mutating func silenceAtAPlaceIsNoGap() {
        drive.stay(seconds: 600)
        drive.wait(seconds: 3000)
        drive.stay(seconds: 10)
        #expect(!events().contains { if case .addGap = $0 { true } else { false } })
    }

    @Test mutating func stayGoesOnAfterARestart() throws {
        drive.stay(seconds: 600)
        let before = drive.points.count
        var memory = TrackRecorder.Memory()
        for change in events() {
            if case .beginStay(let visit) = change { memory.stay = visit }
        }
        memory.visit = recorder.visitMemory
        memory.last = drive.points.last.map { TrackPoint($0, at: drive.now) }
        recorder = TrackRecorder(.init(), after: memory)
        drive.wait(seconds: 7200)
        drive.stay(seconds: 10)
        drive.move(seconds: 120, speed: 15, bearing: 90)
        let events = events(from: before)
        guard events.count == 2, case .endStay(let visit) = events[0], case .beginTrip = events[1] else {
            Issue.record("\(events)")
            return
        }
        #expect(visit.departure.map { abs($0.seconds(since: Drive.begin) - 7810) <= 10 } == true)
    }

    @Test mutating func simulatedLocationsAreLeftOutUnlessAskedFor() {
        drive.source = SourceInformation(name: "simulator", method: .simulated)
        drive.move(seconds: 10, speed: 10, bearing: 0)
        #expect(changes().isEmpty && recorder.simulated == 10)
        var settings = TrackRecorder.Settings()
        settings.includesSimulated = true
        recorder = TrackRecorder(settings)
        #expect(!changes().isEmpty)
    }

    /// A replayed log is not simulated, and is no more where this machine was.
    @Test mutating func replayedLocationsAreLeftOutUnlessAskedFor() {
        drive.source = SourceInformation(name: "log", method: .replayed)
        #expect(drive.source.isReplayed && !drive.source.isSimulated)
        drive.move(seconds: 10, speed: 10, bearing: 0)
        #expect(changes().isEmpty && recorder.simulated == 10)
        var settings = TrackRecorder.Settings()
        settings.includesSimulated = true
        recorder = TrackRecorder(settings)
        #expect(!changes().isEmpty && recorder.simulated == 0)
    }

    @Test mutating func stayEndsAndTheTripBeginsWhereAndWhenTheMachineLeft() throws {
        drive.noise = 0.6
        drive.stay(seconds: 600)
        let place = drive.coordinate
        drive.noise = 0
        drive.move(seconds: 60, speed: 12, bearing: 90)
        let changes = changes()
        let ends = changes.compactMap { if case .endStay(let visit) = $0 { visit } else { nil } }
        let stay = try #require(ends.first)
        let departure = try #require(stay.departure)
        #expect(ends.count == 1 && departure.seconds(since: Drive.begin) == 600)
        // The receiver's 3 m, and its noise.
        #expect(stay.horizontalAccuracy < 3 + 2 * 0.6 + 1 && stay.coordinate.distance(to: place) < 0.5, "\(stay)")
        #expect(changes.contains(.beginTrip(departure)))
        // The track has the moment of the departure, so that its line begins there and then.
        let kept = changes.compactMap { if case .add(let point) = $0 { point } else { nil } }
        let begin = try #require(kept.first { $0.time == departure })
        #expect(begin.location.coordinate.distance(to: place) <= 0.6)
        let next = try #require(kept.first { $0.time > departure })
        #expect(next.location.coordinate.distance(to: place) < 13)
    }

    /// Slower than a stay allows: only the positions show that it leaves.
    @Test mutating func machineThatCreepsAwayLeavesATrack() throws {
        drive.noise = 0.6
        drive.stay(seconds: 600)
        drive.move(seconds: 200, speed: 1, bearing: 90)
        let changes = changes()
        let departure = try #require(
            changes.lazy.compactMap { if case .endStay(let visit) = $0 { visit.departure } else { nil } }.first)
        #expect((599...606).contains(departure.seconds(since: Drive.begin)))
        let onTheWay = changes.filter { change in
            if case .add(let point) = change { point.time > departure } else { false }
        }
        #expect(onTheWay.count > 90)
    }

    /// As of an old receiver whose weeks have overflowed, or of one that tells no time.
    @Test(arguments: [true, false])
    mutating func staysAndTripsAreOfTheSameTimeAsThePoints(isImplausible: Bool) throws {
        drive.stay(seconds: 600)
        drive.move(seconds: 60, speed: 12, bearing: 90)
        var events: [TrackChange] = []
        for (second, location) in drive.points.enumerated() {
            var location = location
            location.isTimestampImplausible = isImplausible
            location.timestamp = isImplausible ? UTCTime(seconds: 1_100_000_000 + Int64(second)) : nil
            events += recorder.add(location, at: Drive.begin.advanced(bySeconds: Double(second + 1)))
        }
        let stays = events.compactMap { change in
            switch change {
            case .beginStay(let visit), .endStay(let visit): visit
            default: nil
            }
        }
        #expect(stays.map(\.arrival) == [Drive.begin.advanced(bySeconds: 1), Drive.begin.advanced(bySeconds: 1)])
        #expect(stays.last?.departure == Drive.begin.advanced(bySeconds: 600))
        #expect(events.contains(.beginTrip(Drive.begin.advanced(bySeconds: 600))))
    }

    @Test mutating func implausibleTimestampIsReplacedByTheMachinesClock() {
        drive.move(seconds: 1, speed: 10, bearing: 0)
        var location = drive.points[0]
        location.isTimestampImplausible = true
        #expect(TrackPoint(location, at: UTCTime(seconds: 7)).time == UTCTime(seconds: 7))
        location.timestamp = nil
        #expect(TrackPoint(location, at: UTCTime(seconds: 8)).time == UTCTime(seconds: 8))
    }
}
