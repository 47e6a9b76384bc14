import LocationHub
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

@Suite struct SequenceTests {
    private static let block = SequenceCounter.blockSize

    @Test func numbersRiseByOneFromTheStart() {
        var server = ServerDouble(sequenceStart: 4711)
        let id = server.watch()
        server.fixes(5)
        #expect(server.sequences(id) == [4712, 4713, 4714, 4715, 4716])
        #expect(server.hub.lastSequence == 4716)
    }

    @Test func numbersContinueAfterLocationOfEarlierRun() {
        var last = Location.fix(at: BootInstant(seconds: 10))
        last.sequence = 900
        var server = ServerDouble(sequenceStart: 500, lastLocation: last)
        let id = server.watch()
        server.fix()
        #expect(server.sequences(id) == [901])
    }

    @Test func newBlockIsReservedAtHalfOfTheOld() {
        var server = ServerDouble()
        _ = server.watch()
        server.loseFixes(Int(Self.block / 2) - 1)
        #expect(server.reservations.isEmpty)
        server.fix()
        #expect(server.hub.lastSequence == Self.block / 2)
        #expect(server.reservations == [Self.block / 2 + Self.block])
        server.pass(1)
        server.fix()
        #expect(server.reservations.count == 1)
    }

    @Test func blockIsReservedBeforeItsFirstNumberIsSent() {
        var server = ServerDouble()
        _ = server.watch()
        server.loseFixes(Int(Self.block / 2) - 1)
        let actions = server.hub.applyEvent(.fix(.fix(at: server.now)), from: 0, at: server.now)
        #expect(actions.first == .reserveSequences(upTo: Self.block / 2 + Self.block))
        #expect(actions.contains { if case .reply(_, let update) = $0 { update.location != nil } else { false } })
    }

    @Test func noNumberIsUsedOutsideReservedBlocks() {
        var server = ServerDouble()
        _ = server.watch()
        var limit = Self.block
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<2000 {
            server.loseFixes(Int.random(in: 0...Int(Self.block / 2), using: &generator))
            limit = server.reservations.last ?? limit
            server.pass(1)
            server.fix()
            limit = server.reservations.last ?? limit
            #expect(server.hub.lastSequence < limit)
        }
        #expect(server.reservations == server.reservations.sorted())
    }

    @Test func repeatsUseNoNumber() {
        var server = ServerDouble()
        _ = server.watch()
        server.fix()
        server.fix()
        #expect(server.hub.lastSequence == 1)
        #expect(server.hub.counters.repeats == 1)
        #expect(server.hub.counters.fixes == 1)
    }

    @Test func spoiltStartDoesNotTrap() {
        var last = Location.fix(at: BootInstant(seconds: 10))
        last.sequence = .max
        var server = ServerDouble(sequenceStart: .max, lastLocation: last)
        _ = server.watch()
        server.fixes(3)
        #expect(server.hub.counters.fixes == 3)
        var negative = ServerDouble(sequenceStart: .min)
        let id = negative.watch()
        negative.fix()
        #expect(negative.sequences(id) == [1])
    }
}
