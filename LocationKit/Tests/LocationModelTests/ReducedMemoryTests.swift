import Foundation
@_spi(Programs) import LocationModel
import TestSupport
import Testing

@Suite struct ReducedMemoryTests {
    /// A memory with one place.
    private func memory() throws -> ReducedMemory {
        var random = SeededGenerator(seed: 1)
        var reduced = ReducedAccuracy(ReducedMemory(size: 2000, using: &random))
        _ = reduced.applyFix(try Location.full(), at: BootInstant(seconds: 100))
        return reduced.memory
    }

    @Test func memoryReadsBackAsWritten() throws {
        let memory = try memory()
        let data = try JSONEncoder().encode(memory)
        #expect(try JSONDecoder().decode(ReducedMemory.self, from: data) == memory)
        #expect(memory.places.count == 1)
        let reduced = ReducedAccuracy(memory)
        #expect(reduced.grid.size == 2000 && reduced.displacement == memory.displacement)
        #expect(reduced.places.list == memory.places && reduced.memory == memory)
    }

    /// With one secret for both, two mean positions would tell it.
    @Test func gridsOfTwoSizesHaveSecretsOfTheirOwn() throws {
        var random = SeededGenerator(seed: 2)
        let one = ReducedMemory(size: 2000, using: &random)
        let other = ReducedMemory(size: 5000, using: &random)
        #expect(one.displacement != other.displacement && other.size == 5000 && other.places.isEmpty)
    }

    /// The displacement moved from one point to another once.
    @Test func memoryOfAnEarlierVersionIsRead() throws {
        let old = #"{"from":{"east":0.1,"north":0.2},"places":[],"size":2000,"to":{"east":-0.3,"north":0.4}}"#
        let memory = try JSONDecoder().decode(ReducedMemory.self, from: Data(old.utf8))
        #expect(memory.displacement == DiskPoint(east: -0.3, north: 0.4) && memory.size == 2000)
    }

    @Test func memoryOutOfRangeIsAnErrorOrBounded() throws {
        var memory = try memory()
        memory.places = Array(repeating: memory.places[0], count: 1000)
        #expect(ReducedAccuracy(memory).places.list.count == ReducedPlaces.capacity)
        for text in [
            #"{"size":2000}"#, #"{"places":[],"size":2000}"#,
            #"{"displacement":{"east":0.8,"north":0.8},"places":[],"size":2000}"#,
        ] {
            #expect(throws: DecodingError.self, "\(text)") {
                try JSONDecoder().decode(ReducedMemory.self, from: Data(text.utf8))
            }
        }
    }
}
