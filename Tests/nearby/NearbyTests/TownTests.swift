import AccessPoints
import Glibc
import LocationModel
import ProgramTestSupport
import Testing

/// A machine that walks through a town with a receiver, and later comes back without one.
@Suite struct TownTests {
    /// What a machine remembers, and how it learns.
    struct Memory {
        var known: [HardwareAddress: KnownAccessPoint] = [:]
        var learner = AccessPointLearner(AccuracyCalibration())

        func known(of observation: AccessPointObservation) -> [HardwareAddress: KnownAccessPoint] {
            var some: [HardwareAddress: KnownAccessPoint] = [:]
            for received in observation.accessPoints { some[received.address] = known[received.address] }
            return some
        }

        mutating func learn(_ observation: AccessPointObservation, at coordinate: Coordinate, today: Int)
            -> AccessPointLesson
        {
            let lesson = learner.learn(observation, at: coordinate, accuracy: 8, known(of: observation), today: today)
            known.merge(lesson.changed) { $1 }
            return lesson
        }

        func estimate(_ observation: AccessPointObservation, today: Int) -> Result<PlaceEstimate, PlaceUnknown> {
            PlaceEstimator(factor: learner.calibration.factor).estimate(
                observation, known(of: observation), today: today)
        }
    }

    /// The whole town at a walk's pace, and a part of it on the next day, by which accuracies are calibrated.
    private static func learned(_ town: inout Town, step: Double = 14) throws -> Memory {
        var memory = Memory()
        for (index, point) in Town.walk(every: step).enumerated() {
            try walk(&town, &memory, point, second: index * 10, today: 1)
        }
        for index in 0..<300 { try walk(&town, &memory, town.somewhere(), second: 100_000 + index * 60, today: 2) }
        return memory
    }

    private static func walk(_ town: inout Town, _ memory: inout Memory, _ point: Town.Point, second: Int, today: Int)
        throws
    {
        let fix = try #require(Town.coordinate(town.measured(point, error: 5)))
        _ = memory.learn(town.scan(at: point, time: Double(second)), at: fix, today: today)
    }

    private struct Outcome {
        var errors: [Double] = []
        var accuracies: [Double] = []
        var within = 0
        var refused = 0

        func quantile(_ share: Double) -> Double { Self.quantile(errors, share) }

        static func quantile(_ values: [Double], _ share: Double) -> Double {
            values.sorted()[Int(share * Double(values.count - 1))]
        }
    }

    private static func revisit(_ town: inout Town, _ memory: Memory, today: Int, count: Int = 1000) throws -> Outcome {
        var outcome = Outcome()
        for _ in 0..<count {
            let truth = town.somewhere()
            switch memory.estimate(town.scan(at: truth), today: today) {
            case .success(let estimate):
                let error = estimate.coordinate.distance(to: try #require(Town.coordinate(truth)))
                outcome.errors.append(error)
                outcome.accuracies.append(estimate.accuracy)
                if error <= estimate.accuracy { outcome.within += 1 }
            case .failure: outcome.refused += 1
            }
        }
        return outcome
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func aPlaceIsFoundAgainWithoutAReceiver(seed: UInt64) throws {
        var town = Town(seed: seed)
        let memory = try Self.learned(&town)
        let outcome = try Self.revisit(&town, memory, today: 30)
        let share = Double(outcome.within) / Double(outcome.errors.count)
        #expect(outcome.quantile(0.5) <= 40)
        #expect(outcome.quantile(0.95) <= 150)
        #expect(
            (0.6...0.8).contains(share),
            "\(share) are within their accuracy, by a factor of \(memory.learner.calibration.factor)")
        #expect(outcome.errors.count >= 900, "\(outcome.refused) of 1000 are refused")
    }

    /// Three of ten routers are new since the walk: answers come, and their circles are a little wider.
    @Test(arguments: [7, 8] as [UInt64])
    func newRoutersLeaveAnswersUseful(seed: UInt64) throws {
        var town = Town(seed: seed)
        var memory = try Self.learned(&town)
        let before = try Self.revisit(&town, memory, today: 30)
        for index in stride(from: 0, to: Town.count, by: 10) {
            for new in index..<index + 3 { memory.known[Town.address(new)] = nil }
        }
        let outcome = try Self.revisit(&town, memory, today: 30)
        #expect(outcome.errors.count >= 930, "\(outcome.refused) of 1000 are refused")
        #expect(outcome.quantile(0.5) <= 40)
        #expect(Double(outcome.within) >= 0.7 * Double(outcome.errors.count))
        let (wide, usual) = (Outcome.quantile(outcome.accuracies, 0.5), Outcome.quantile(before.accuracies, 0.5))
        #expect(wide > 1.2 * usual && wide <= 60, "\(wide) m after \(usual) m")
    }

    /// The distances between points in space, and the end of the search where all agree, change nothing.
    @Test func agreementIsThatOfThePlainSearch() throws {
        var town = Town(seed: 9)
        let memory = try Self.learned(&town, step: 56)
        var compared = 0
        for _ in 0..<300 {
            let observation = town.scan(at: town.somewhere())
            guard case .success(let estimate) = memory.estimate(observation, today: 30) else { continue }
            compared += 1
            let devices = observation.usable.compactMap { received in
                memory.known[received.address].flatMap {
                    $0.isTrusted ? (place: $0.coordinate, distance: hypot($0.spread, received.range)) : nil
                }
            }
            let largest = devices.map { middle in
                devices.count {
                    $0.place.distance(to: middle.place) <= 2 * ($0.distance + middle.distance)
                }
            }.max()
            #expect(estimate.count == largest)
        }
        #expect(compared > 200)
    }

    @Test(arguments: [4, 5] as [UInt64])
    func movedRoutersMoveNoAnswer(seed: UInt64) throws {
        var town = Town(seed: seed)
        var memory = try Self.learned(&town)
        let moved = town.moveRouters(share: 0.05)
        try #require(moved.count > 50)
        // At the new place of each, before any visit with a receiver, in all company that chance gives it.
        var (wrong, answered) = (0, 0)
        for index in moved {
            for _ in 0..<10 {
                let truth = town.measured(town.places[index], error: 15)
                var observation = town.scan(at: truth)
                observation.accessPoints.append(
                    ReceivedAccessPoint(address: Town.address(index), signal: -55, network: "moved"))
                guard case .success(let estimate) = memory.estimate(observation, today: 30) else { continue }
                answered += 1
                if estimate.coordinate.distance(to: try #require(Town.coordinate(truth))) > 500 { wrong += 1 }
            }
        }
        #expect(answered > 100)
        #expect(wrong == 0, "\(wrong) of \(answered)")
        // One visit to the new places.
        for (order, index) in moved.enumerated() {
            try Self.walk(&town, &memory, town.places[index], second: 1_000_000 + 60 * order, today: 31)
        }
        let outcome = try Self.revisit(&town, memory, today: 32, count: 2000)
        #expect(outcome.quantile(1) < 500)
    }

    /// Two devices of one household that moved to a street whose other access points are not known.
    @Test(arguments: [6] as [UInt64])
    func whatAHouseholdTakesAlongIsRefusedAmongStrangers(seed: UInt64) throws {
        var town = Town(seed: seed)
        let memory = try Self.learned(&town)
        var (wrong, tried) = (0, 0)
        for first in stride(from: 0, to: 2000, by: 10) {
            guard
                let second = town.places.indices.first(where: { other in
                    other != first
                        && hypot(
                            town.places[other].east - town.places[first].east,
                            town.places[other].north - town.places[first].north) < 30
                })
            else { continue }
            tried += 1
            let strangers = (0..<8).map { number in
                ReceivedAccessPoint(
                    address: HardwareAddress(value: 0x00_2B_00_00_00_00 + UInt64(first * 8 + number) << 8), signal: -70,
                    network: "new")
            }
            let household = [first, second].map {
                ReceivedAccessPoint(address: Town.address($0), signal: -50, network: "old")
            }
            let observation = AccessPointObservation(time: BootInstant(seconds: 0), accessPoints: strangers + household)
            if case .success = memory.estimate(observation, today: 30) { wrong += 1 }
        }
        #expect(tried > 50)
        #expect(Double(wrong) <= 0.05 * Double(tried))
    }
}
