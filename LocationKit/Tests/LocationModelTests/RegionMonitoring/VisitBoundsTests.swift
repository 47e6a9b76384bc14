import Foundation
@_spi(Programs) import LocationModel
@_spi(Programs) import RegionMonitoring
import TestSupport
import Testing

/// A visit begins where and when the machine stops, ends where and when it leaves, and is as large as its place.
@Suite struct VisitBoundsTests {
    /// A receiver of 3 m that is off by 0.6 m at most, on a machine that moves along a line to the east.
    private struct Machine {
        var monitor = VisitTracker(nil, settings: MonitorSettings())
        var visits: [Visit] = []
        var tellsSpeed = true
        private(set) var second = 0.0
        private(set) var east = 0.0
        private var generator = SeededGenerator(seed: 7)

        mutating func move(seconds: Int, speed: Double) {
            for _ in 0..<seconds {
                east += speed
                second += 1
                let noise = Double.random(in: -0.6...0.6, using: &generator)
                visits += monitor.applyFix(
                    fix(at: second, east: east + noise, accuracy: 3, speed: tellsSpeed ? abs(speed) : nil))
            }
        }

        mutating func stand(seconds: Int) { move(seconds: seconds, speed: 0) }
    }

    private func place(east: Double) -> Coordinate { fix(at: 0, east: east).coordinate }

    @Test(arguments: [(12.0, true), (12, false), (1.4, true), (1.4, false), (1, false)])
    func departureIsWhereAndWhenTheMachineLeft(speed: Double, tellsSpeed: Bool) throws {
        var machine = Machine()
        machine.tellsSpeed = tellsSpeed
        machine.stand(seconds: 600)
        machine.move(seconds: 200, speed: speed)
        let left = try #require(machine.visits.last)
        #expect(machine.visits.count == 2 && !left.isPresent)
        let departure = try #require(left.departure).time
        // Nobody can see that it left before it is farther away than the receiver is accurate.
        #expect((599.0...600 + 5 / speed).contains(departure), "\(departure)")
        #expect(left.coordinate.distance(to: place(east: 0)) < 0.5)
        #expect(left.horizontalAccuracy < 3 + 0.6 + 5, "\(left.horizontalAccuracy)")
    }

    @Test(arguments: [(12.0, true), (1.4, true), (1.4, false), (0.7, false)])
    func arrivalIsWhereAndWhenTheMachineStopped(speed: Double, tellsSpeed: Bool) throws {
        var machine = Machine()
        machine.tellsSpeed = tellsSpeed
        machine.move(seconds: 200, speed: speed)
        let stop = machine.east
        machine.stand(seconds: 400)
        let visit = try #require(machine.visits.first)
        #expect(machine.visits.count == 1 && visit.isPresent)
        let arrival = try #require(visit.arrival).time
        #expect((190.0...221).contains(arrival), "\(arrival)")
        #expect(visit.coordinate.distance(to: place(east: stop)) < 1.5)
        #expect(visit.horizontalAccuracy < 20, "\(visit.horizontalAccuracy)")
    }

    @Test func lightBeforeThePlaceIsNoPartOfTheVisit() throws {
        var machine = Machine()
        machine.move(seconds: 60, speed: 10)
        machine.stand(seconds: 100)
        machine.move(seconds: 6, speed: 5)
        machine.stand(seconds: 300)
        let visit = try #require(machine.visits.first)
        #expect(try abs(#require(visit.arrival).time - 167) <= 20)
        #expect(visit.horizontalAccuracy < 20)
    }

    @Test func wayAboutThePlaceIsPartOfTheVisit() throws {
        var machine = Machine()
        machine.stand(seconds: 400)
        machine.move(seconds: 15, speed: 4)
        machine.stand(seconds: 20)
        machine.move(seconds: 15, speed: -4)
        machine.stand(seconds: 200)
        machine.move(seconds: 60, speed: 12)
        #expect(machine.visits.map(\.isPresent) == [true, false])
        let left = try #require(machine.visits.last)
        #expect(try (649...651).contains(#require(left.departure).time))
        #expect((60..<75).contains(left.horizontalAccuracy), "\(left.horizontalAccuracy)")
    }

    /// It was moved to the other end of the place, and leaves from there.
    @Test func departureIsFromTheEndOfThePlaceWhereItStood() throws {
        var machine = Machine()
        machine.stand(seconds: 400)
        machine.move(seconds: 12, speed: 5)
        machine.stand(seconds: 300)
        machine.move(seconds: 60, speed: 12)
        let left = try #require(machine.visits.last)
        #expect(try (711...713).contains(#require(left.departure).time))
    }

    /// The way out from where it stood for less than a minute is no part of the visit.
    @Test func shortStopOnTheWayOutEndsNothingLater() throws {
        var machine = Machine()
        machine.stand(seconds: 400)
        machine.move(seconds: 12, speed: 5)
        machine.stand(seconds: 40)
        machine.move(seconds: 60, speed: 12)
        let left = try #require(machine.visits.last)
        #expect(try (399...401).contains(#require(left.departure).time))
        #expect(left.horizontalAccuracy < 10)
    }

    /// The state that a version without the extent has stored.
    @Test func visitOfAnEarlierVersionGoesOn() throws {
        var machine = Machine()
        machine.stand(seconds: 400)
        let memory = try #require(machine.monitor.memory)
        #expect(memory.extent != nil)
        var fields = try #require(
            JSONSerialization.jsonObject(with: JSONEncoder().encode(memory)) as? [String: Any])
        #expect(fields.removeValue(forKey: "extent") != nil)
        let earlier = try JSONDecoder().decode(
            VisitMemory.self, from: JSONSerialization.data(withJSONObject: fields))
        machine.monitor = VisitTracker(earlier, settings: MonitorSettings())
        machine.stand(seconds: 100)
        machine.move(seconds: 60, speed: 12)
        let left = try #require(machine.visits.last)
        #expect(try !left.isPresent && (499...501).contains(#require(left.departure).time))
    }

    @Test func restartForgetsTheWayOutAndNotThePlace() throws {
        var machine = Machine()
        machine.stand(seconds: 400)
        machine.move(seconds: 5, speed: 12)
        machine.monitor = VisitTracker(machine.monitor.memory, settings: MonitorSettings())
        machine.move(seconds: 60, speed: 12)
        let left = try #require(machine.visits.last)
        #expect(try !left.isPresent && (399...401).contains(#require(left.departure).time))
        #expect(left.horizontalAccuracy < 10)
    }
}
