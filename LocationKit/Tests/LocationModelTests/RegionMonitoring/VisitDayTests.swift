@_spi(Programs) import LocationModel
@_spi(Programs) import RegionMonitoring
import TestSupport
import Testing

/// Random days of stays and drives, with noise.
@Suite struct VisitDayTests {
    enum Duty: String, CaseIterable { case always, onDemand }

    @Test(arguments: Duty.allCases, 0..<25)
    func everyStayIsToldOnceAndNothingElse(duty: Duty, seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let day = Itinerary.randomDay(using: &generator)
        var receiver = NoisyReceiver(day, accuracy: .random(in: 3...40, using: &generator), seed: UInt64(seed))
        receiver.tellsSpeed = Bool.random(using: &generator)
        var monitor = MonitorEngine(MonitorSubjects(visits: true))
        var watch = Watchkeeping()
        switch duty {
        case .always: watch.run(&monitor, &receiver, every: 5)
        case .onDemand: watch.run(onDemand: &monitor, &receiver)
        }

        let stays = day.legs.filter { $0.isStay && $0.end - $0.begin >= 600 }
        let told = watch.visits
        try #require(told.count == 2 * stays.count - 1, "\(told)")
        for (index, stay) in stays.enumerated() {
            let arrival = told[2 * index]
            #expect(arrival.isPresent && arrival.departure == nil)
            expect(arrival, toBe: stay, accuracy: receiver.accuracy)
            let began = try #require(arrival.arrival).time
            #expect((stay.begin - 60...stay.begin + 300).contains(began))
            guard 2 * index + 1 < told.count else { continue }
            let departure = told[2 * index + 1]
            #expect(!departure.isPresent && departure.arrival == arrival.arrival)
            expect(departure, toBe: stay, accuracy: receiver.accuracy)
            let ended = try #require(departure.departure).time
            #expect((stay.end - 320...stay.end + 60).contains(ended))
        }
        if duty == .onDemand { #expect(watch.onTime < day.end / 8) }
    }

    private func expect(_ visit: Visit, toBe stay: Itinerary.Leg, accuracy: Double) {
        #expect(visit.coordinate.distance(to: stay.from) <= visit.horizontalAccuracy)
        #expect(visit.horizontalAccuracy < 150 + 5 * accuracy)
    }
}
