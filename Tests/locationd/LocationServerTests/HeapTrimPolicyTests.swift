@_spi(Programs) import LocationInterface
import ProgramTestSupport
import ServerDoubles
import Testing

@testable import LocationServer

/// When the memory of a crowd is given back.
@Suite(.timeLimit(.minutes(10)))
struct HeapTrimPolicyTests {
    /// Which of these numbers of connections, one after another, show that a crowd has left.
    private func falls(in counts: [Int]) -> [Int] {
        var level = HeapTrimPolicy()
        return counts.filter { level.isWorthwhile(at: $0) }
    }

    @Test func fewWhoLeaveAreNoCrowd() {
        #expect(falls(in: [HeapTrimPolicy.threshold - 1, 0]).isEmpty)
    }

    @Test func crowdHasLeftWhenAQuarterIsThere() {
        #expect(falls(in: [8_000, 2_001, 2_000, 1_999]) == [2_000])
    }

    @Test func whoIsLeftCountsAsTheMost() {
        #expect(falls(in: [1_024, 256, 65, 64]) == [256, 64])
        #expect(falls(in: [1_024, 250, 63, 255, 0]) == [250])
        #expect(falls(in: [1_024, 250, 256, 0]) == [250, 0])
    }

    @Test func programIsToldOnceThatACrowdHasLeft() async throws {
        let (departures, departed) = AsyncStream.makeStream(of: Void.self)
        try await TestServer.run {
            $0.hooks.onTrimHeap = { departed.yield() }
        } _: { server in
            var crowd: [WireClient] = []
            for _ in 0..<HeapTrimPolicy.threshold { crowd.append(try server.connect()) }
            #expect(try await crowd[HeapTrimPolicy.threshold - 1].call(LocationInterface.Method.getStatus).error == nil)
            for client in crowd { await client.close() }
            var iterator = departures.makeAsyncIterator()
            #expect(await iterator.next() != nil)
            #expect(try await server.connect().call(LocationInterface.Method.getStatus).error == nil)
        }
    }
}
