@_spi(Programs) import LocationModel
@_spi(Programs) import RegionMonitoring
import TestSupport
import Testing

@Suite struct VisitTests {
    private func told(_ monitor: inout MonitorEngine, _ fix: Location) -> [Visit] {
        monitor.applyFix(fix).compactMap { if case .visit(let visit) = $0 { visit } else { nil } }
    }

    /// A monitor in whose sight the machine has arrived at the beginning.
    private func arrived() throws -> MonitorEngine {
        var monitor = MonitorEngine(MonitorSubjects(visits: true))
        var count = 0
        for time in stride(from: 0.0, through: 300, by: 30) { count += told(&monitor, fix(at: time)).count }
        try #require(count == 1)
        return monitor
    }

    @Test func arrivalIsToldAfterFiveMinutes() throws {
        var monitor = MonitorEngine(MonitorSubjects(visits: true))
        for time in stride(from: 0.0, to: 300, by: 10) { #expect(told(&monitor, fix(at: time)).isEmpty) }
        let visit = try #require(told(&monitor, fix(at: 300)).first)
        #expect(visit.isPresent && visit.arrival == .at(0) && visit.departure == nil)
        #expect(visit.horizontalAccuracy.rounded() == 10)
    }

    @Test(arguments: [0.5, 0.8, 1.4], [5.0, 20, 35])
    func creepingIsNoStay(speed: Double, accuracy: Double) throws {
        var walk = Itinerary(at: try #require(Coordinate(latitude: -33, longitude: 179.99)))
        walk.move(speed * 7200, bearing: 80, speed: speed)
        for onDemand in [false, true] {
            var receiver = NoisyReceiver(walk, accuracy: accuracy, seed: UInt64(accuracy))
            var monitor = MonitorEngine(MonitorSubjects(visits: true))
            var watch = Watchkeeping()
            if onDemand {
                watch.run(onDemand: &monitor, &receiver)
            } else {
                watch.run(&monitor, &receiver, every: 1)
            }
            #expect(watch.visits.isEmpty)
            #expect(watch.onTime > 0)
        }
    }

    @Test func standingAtLightsIsNoStay() throws {
        var monitor = MonitorEngine(MonitorSubjects(visits: true))
        for time in stride(from: 0.0, through: 240, by: 1) { #expect(told(&monitor, fix(at: time)).isEmpty) }
        for time in stride(from: 241.0, through: 400, by: 1) {
            #expect(told(&monitor, fix(at: time, east: (time - 240) * 10, speed: 10)).isEmpty)
        }
    }

    @Test func lapsPastTheSamePlaceAreNoStay() throws {
        var monitor = MonitorEngine(MonitorSubjects(visits: true))
        for time in stride(from: 0.0, through: 3600, by: 150) {
            #expect(told(&monitor, fix(at: time, speed: 14)).isEmpty)
        }
    }

    @Test(arguments: [150.0, 5000, 2_000_000])
    func singleOutliersChangeNothing(distance: Double) throws {
        var monitor = MonitorEngine(MonitorSubjects(visits: true))
        var visits: [Visit] = []
        for time in stride(from: 0.0, through: 3600, by: 10) {
            visits += told(&monitor, fix(at: time, east: time.remainder(dividingBy: 70) == 0 ? distance : 0))
        }
        #expect(visits.map(\.arrival) == [.at(10)])
        #expect(visits.allSatisfy { $0.isPresent })
    }

    @Test func departureIsTheLastFixThere() throws {
        var monitor = try arrived()
        #expect(told(&monitor, fix(at: 1000)).isEmpty)
        #expect(told(&monitor, fix(at: 1300, east: 400)).isEmpty)
        #expect(monitor.nextFix(at: .at(1300)) == .at(1315))
        let visit = try #require(told(&monitor, fix(at: 1315, east: 600)).first)
        #expect(!visit.isPresent && visit.arrival == .at(0) && visit.departure == .at(1000))
    }

    @Test func departureAndNextArrivalAreToldInOrder() throws {
        var monitor = try arrived()
        var visits: [Visit] = []
        for time in stride(from: 330.0, through: 1200, by: 30) {
            visits += told(&monitor, fix(at: time, east: 3000))
        }
        #expect(visits.map(\.isPresent) == [false, true])
        #expect(visits.last?.arrival == .at(330))
    }

    @Test func poorFixesAreNotUsed() throws {
        var monitor = MonitorEngine(MonitorSubjects(visits: true))
        for time in stride(from: 0.0, through: 3600, by: 60) {
            #expect(told(&monitor, fix(at: time, accuracy: 101)).isEmpty)
        }
        #expect(monitor.nextFix(at: .at(3600)) == .at(3900))
        monitor = try arrived()
        for time in stride(from: 330.0, through: 3600, by: 60) {
            #expect(told(&monitor, fix(at: time, east: 5000, accuracy: 101)).isEmpty)
        }
    }

    @Test func receiversWithoutAccuracyAndTimeAreServedToo() throws {
        var monitor = MonitorEngine(MonitorSubjects(visits: true))
        var visits: [Visit] = []
        for time in stride(from: 0.0, through: 1200, by: 10) {
            var fix = fix(at: time, east: time < 600 ? 0 : 2000, accuracy: nil)
            fix.timestamp = nil
            visits += told(&monitor, fix)
        }
        #expect(visits.map(\.isPresent) == [true, false, true])
        #expect(visits.allSatisfy { $0.arrival == nil && $0.departure == nil && $0.horizontalAccuracy >= 100 })
    }

    @Test func twoFixesFarApartInTimeAreNoStay() throws {
        var monitor = MonitorEngine(MonitorSubjects(visits: true))
        for time in stride(from: 0.0, through: 36_000, by: 3600) {
            #expect(told(&monitor, fix(at: time)).isEmpty)
        }
    }

    @Test func stayGoesOnOverAGapAndARestart() throws {
        let before = try arrived()
        let coded = try JSON.copy(before.memory)
        var monitor = MonitorEngine(coded.subjects, memory: coded)
        #expect(monitor.nextFix(at: .at(40_000)) == .at(40_000))
        for time in stride(from: 40_000.0, through: 50_000, by: 60) {
            #expect(told(&monitor, fix(at: time, east: 20)).isEmpty)
        }
    }

    @Test func departureComesFirstAfterARestartElsewhere() throws {
        var monitor = MonitorEngine(MonitorSubjects(visits: true), memory: try JSON.copy(try arrived().memory))
        #expect(told(&monitor, fix(at: 40_000, east: 9000)).isEmpty)
        let visit = try #require(told(&monitor, fix(at: 40_015, east: 9000)).first)
        #expect(!visit.isPresent && visit.arrival == .at(0) && visit.departure == .at(300))
        #expect(monitor.memory.visit == nil)
    }

    @Test func looksBecomeRarerWhileItStays() throws {
        var monitor = MonitorEngine(MonitorSubjects(visits: true))
        var waits: [Double] = []
        var time = 0.0
        while time < 4000, let next = monitor.nextFix(at: .at(time)) {
            _ = monitor.applyFix(fix(at: time))
            waits.append((monitor.nextFix(at: .at(time)) ?? next).seconds(since: .at(time)))
            time += waits.last ?? 1
        }
        #expect(waits.first == 150 && waits.last == 300)
        #expect(waits.dropFirst(2).allSatisfy { (75...300).contains($0) })
    }
}
