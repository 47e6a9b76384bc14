import Foundation
import ProgramTestSupport
import Testing

/// The daemon's parts on a simulated machine where everything fails that can fail.
///
/// A failing seed is printed, and `LOCATIOND_SEED=… SWIFT_DETERMINISTIC_HASHING=1 swift test --filter Simulation` runs
/// it again, event by event. `LOCATIOND_EVENTS=…` makes each run that long.
@Suite struct SimulationTests {
    /// Dictionaries have another order each time without it, and so have the answers to many clients.
    private static let hasOneOrder = environment["SWIFT_DETERMINISTIC_HASHING"] == "1"

    @Test(.enabled(if: hasOneOrder, "it takes SWIFT_DETERMINISTIC_HASHING=1"))
    func theSameSeedMakesTheSameWorld() async throws {
        let runs = try await blocking { (0..<2).map { _ in SimulatedMachine.run(seed: 7, events: 1000) } }
        #expect(runs[0].failure == nil && runs[0].trace != 0)
        #expect(runs[0].trace == runs[1].trace && runs[0].summary == runs[1].summary)
        let other = try await blocking { SimulatedMachine.run(seed: 8, events: 1000) }
        #expect(other.trace != runs[0].trace)
    }

    private static let environment = ProcessInfo.processInfo.environment
    private static let seeds: [UInt64] =
        environment["LOCATIOND_SEED"].flatMap(UInt64.init).map { [$0] } ?? [1, 2, 3, 4, 5]
    private static let events = environment["LOCATIOND_EVENTS"].flatMap(Int.init) ?? 8000

    @Test(arguments: seeds)
    func nothingIsToldWrongly(seed: UInt64) async throws {
        let events = Self.events
        let report = try await blocking { SimulatedMachine.run(seed: seed, events: events) }
        print("seed \(seed): \(report.summary)")
        #expect(report.failure == nil)
        #expect(report.predictions > 0)
    }
}
