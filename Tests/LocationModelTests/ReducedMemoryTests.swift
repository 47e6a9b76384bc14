import Foundation
import LocationModel
import TestSupport
import Testing

@Suite struct ReducedMemoryTests {
    private let boot = BootInstant(seconds: 100)
    private let utc = UTCTime(seconds: 1_772_366_400)

    /// A memory with one place and a drift a quarter of the way.
    private func memory() throws -> ReducedMemory {
        var random = SeededGenerator(seed: 1)
        let drift = OffsetDrift(
            from: .random(using: &random), to: .random(using: &random), progress: 0.25, at: boot)
        var reduced = ReducedAccuracy(grid: AccuracyGrid(), drift: drift)
        _ = reduced.take(try Location.full(), at: boot)
        return reduced.memory(at: boot, utc: utc)
    }

    private func progress(_ memory: ReducedMemory, after seconds: Int64) -> Double {
        // The machine has been rebooted: its clock begins anew.
        let now = BootInstant(seconds: 3)
        let later = UTCTime(seconds: utc.seconds + seconds)
        return ReducedAccuracy(memory, grid: AccuracyGrid(), at: now, utc: later).drift.progress(at: now)
    }

    @Test func memoryReadsBackAsWritten() throws {
        let memory = try memory()
        let data = try JSONEncoder().encode(memory)
        #expect(try JSONDecoder().decode(ReducedMemory.self, from: data) == memory)
        #expect(memory.places.count == 1)
    }

    @Test func driftGoesOnWhileTheMachineIsOff() throws {
        let memory = try memory()
        #expect(abs(progress(memory, after: 0) - 0.25) < 1e-9)
        #expect(abs(progress(memory, after: 15 * 86_400) - 0.75) < 1e-9)
        #expect(progress(memory, after: 1000 * 86_400) == 1)
    }

    @Test func driftStandsWhereItWasIfTheClockWasSetBack() throws {
        let memory = try memory()
        for seconds in [-1, -utc.seconds, Int64(-1) << 60] {
            #expect(abs(progress(memory, after: seconds) - 0.25) < 1e-9)
        }
    }

    /// A machine without a battery for its clock begins each time in 1970 and is set right later.
    @Test func wrongClockAtEachStartDoesNotHoldTheDrift() throws {
        var memory = try memory()
        for _ in 0..<10 {
            let now = BootInstant(seconds: 3)
            let reduced = ReducedAccuracy(memory, grid: AccuracyGrid(), at: now, utc: UTCTime(seconds: 3))
            let later = now.advanced(bySeconds: 86_400)
            memory = reduced.memory(at: later, utc: UTCTime(seconds: utc.seconds + 86_400))
        }
        #expect(abs(memory.progress - (0.25 + 10.0 / 30)) < 1e-9)
    }

    @Test func placesOfAnotherGridAreForgottenAndTheDriftIsKept() throws {
        let memory = try memory()
        let other = ReducedAccuracy(memory, grid: AccuracyGrid(size: 5000), at: boot, utc: utc)
        #expect(other.places.list.isEmpty)
        #expect(other.drift.from == memory.from && other.drift.to == memory.to)
        #expect(ReducedAccuracy(memory, grid: AccuracyGrid(), at: boot, utc: utc).places.list == memory.places)
    }

    @Test func memoryOutOfRangeIsAnErrorOrClamped() throws {
        var memory = try memory()
        memory.progress = -5
        #expect(progress(memory, after: 0) == 0)
        memory.progress = 1e300
        #expect(progress(memory, after: 0) == 1)
        memory.places = Array(repeating: memory.places[0], count: 1000)
        #expect(
            ReducedAccuracy(memory, grid: AccuracyGrid(), at: boot, utc: utc).places.list.count
                == ReducedPlaces.capacity)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(ReducedMemory.self, from: Data(#"{"size":2000}"#.utf8))
        }
    }
}
