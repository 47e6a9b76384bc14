import ServiceServer
import Testing

/// Whose turn it is, without anything that runs.
@Suite struct FairQueueTests {
    private var queue = FairQueue<Int>()

    private mutating func rest(where mayRun: (UInt32) -> Bool = { _ in true }) -> [Int] {
        var rest: [Int] = []
        while let (_, element) = queue.popFirst(where: mayRun) { rest.append(element) }
        return rest
    }

    @Test mutating func usersTakeTurns() {
        for element in [11, 12, 13, 21, 31, 32] { queue.append(element, of: UInt32(element / 10)) }
        #expect(queue.count == 6)
        #expect(rest() == [11, 21, 31, 12, 32, 13])
        #expect(queue.isEmpty && queue.count == 0)
    }

    @Test mutating func whoComesLaterWaitsForOneOfEachOnly() {
        for element in [11, 12, 13] { queue.append(element, of: 1) }
        #expect(queue.popFirst()?.element == 11)
        queue.append(21, of: 2)
        #expect(rest() == [12, 21, 13])
    }

    @Test mutating func whoMayNotIsPassedOverAndKeepsTheTurn() {
        for element in [11, 12, 21, 22] { queue.append(element, of: UInt32(element / 10)) }
        #expect(queue.popFirst { $0 != 1 }?.element == 21)
        #expect(queue.popFirst { $0 != 1 && $0 != 2 } == nil)
        #expect(rest() == [11, 22, 12])
    }

    @Test mutating func whatIsRemovedHasNoTurn() {
        for element in [11, 12, 21] { queue.append(element, of: UInt32(element / 10)) }
        #expect(queue.remove(of: 2) { $0 == 21 } == 21)
        #expect(queue.remove(of: 2) { $0 == 21 } == nil)
        #expect(queue.remove(of: 1) { $0 == 11 } == 11)
        #expect(queue.remove(of: 3) { _ in true } == nil)
        queue.append(31, of: 3)
        queue.append(22, of: 2)
        #expect(rest() == [12, 31, 22], "who comes again is the last")
    }
}
