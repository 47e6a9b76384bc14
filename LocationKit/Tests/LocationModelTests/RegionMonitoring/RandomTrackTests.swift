import Foundation
@_spi(Programs) import LocationModel
import TestSupport
import Testing

@_spi(Programs) @testable import RegionMonitoring

/// 10,000 random tracks, with restarts at random moments. `LOCATIOND_TEST_SEED=N` follows the one of that number alone.
@Suite struct RandomTrackTests {
    private static let seeds: [Range<UInt64>] = {
        let named = ProcessInfo.processInfo.environment["LOCATIOND_TEST_SEED"].flatMap { UInt64($0) }
        return named.map { [$0..<$0 + 1] } ?? (0..<10).map { $0 * 1000..<($0 + 1) * 1000 }
    }()

    @Test(arguments: seeds)
    func whatIsToldIsConsistentTrueAndComplete(_ seeds: Range<UInt64>) throws {
        var (events, restarts) = (0, 0)
        for seed in seeds {
            var random = SeededGenerator(seed: seed)
            var track = try RandomTrack(using: &random)
            var tracker = RegionTracker(track.region, memory: nil)
            var witness = RegionWitness(track.region)
            for number in 0..<50 {
                if Int.random(in: 0..<25, using: &random) == 0 {
                    let data = try JSONEncoder().encode(tracker.memory)
                    let memory = try JSONDecoder().decode(RegionMemory.self, from: data)
                    tracker = RegionTracker(track.region, memory: memory)
                    witness.restart()
                    restarts += 1
                    #expect(tracker.report.state == .unknown)
                }
                let step = track.next(using: &random)
                let wrong = witness.see(step, tracker.applyFix(step.fix))
                #expect(wrong == nil, "step \(number) of track \(seed): LOCATIOND_TEST_SEED=\(seed)")
                #expect(tracker.memory.state == witness.known ?? .unknown, "track \(seed)")
            }
            events += witness.events
        }
        if seeds.count > 1 {
            #expect(events > seeds.count)
            #expect(restarts > seeds.count)
        }
    }
}
