import Foundation
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

@testable import locationd

/// What a disk has spoilt is not believed.
struct SavedStateChecksumTests {
    private func state() -> SavedState {
        var chance = SeededGenerator(seed: 4)
        var state = SavedState()
        state.enabled = false
        state.sequenceLimit = 131_072
        state.reduction = ReducedMemory(size: 2000, using: &chance)
        return state
    }

    @Test func everyChangedByteIsNoticed() throws {
        let bytes = try state().encoded()
        #expect(try SavedState(bytes) == state())
        for index in bytes.indices {
            for bit in [0, 3, 6] {
                var damaged = bytes
                damaged[index] ^= 1 << bit
                #expect(throws: (any Error).self, "byte \(index), bit \(bit)") { try SavedState(damaged) }
            }
        }
        for length in 0..<bytes.count {
            #expect(throws: (any Error).self) { try SavedState(Array(bytes.prefix(length))) }
        }
    }

    @Test func fileOfAnEarlierVersionIsRead() throws {
        let old = try SavedState(Array(#"{"enabled":false,"sequenceLimit":65536,"version":1}"#.utf8))
        #expect(!old.enabled && old.sequenceLimit == 65_536)
        #expect(try old.encoded().starts(with: Array(#"{"checksum":""#.utf8)))
        #expect(throws: (any Error).self, "the present one has a checksum") {
            try SavedState(Array(#"{"enabled":false,"sequenceLimit":65536,"version":2}"#.utf8))
        }
    }
}
