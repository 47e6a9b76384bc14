import Testing

@testable import WebService

/// How many connections there may be, and which one ends for another.
@Suite struct ConnectionTableTests {
    private final class Bench {
        let table: ConnectionTable
        var closed: [Int] = []
        private var count = 0

        init(total: Int = 100, perUser: Int = 100, strangers: Int = 100) {
            table = ConnectionTable(.init(total: total, perUser: perUser, strangers: strangers))
        }

        /// Connections are counted from 1, also those that are refused.
        func enter(_ owner: ConnectionTable.Owner, as user: UInt32? = nil) -> Int? {
            count += 1
            let name = count
            guard let number = table.enter(owner, close: { self.closed.append(name) }) else { return nil }
            if let user { #expect(table.identify(number, as: user)) }
            return number
        }
    }

    @Test func limitsAreThoseOfOpenConnections() throws {
        let bench = Bench(total: 5, perUser: 3)
        let own = (0..<3).compactMap { _ in bench.enter(.user(1), as: 1) }
        #expect(own.count == 3)
        #expect(bench.enter(.user(1)) == nil, "a user's limit")
        #expect(bench.enter(.unknown, as: 7) != nil)
        let other = try #require(bench.enter(.user(2), as: 2))
        #expect(bench.enter(.user(3)) == nil, "the limit of all")
        bench.table.leave(own[0])
        bench.table.leave(own[0])
        #expect(bench.enter(.user(3), as: 3) != nil)
        bench.table.leave(other)
        #expect(bench.enter(.user(1), as: 1) != nil)
        #expect(bench.enter(.user(1)) == nil && bench.closed.isEmpty)
    }

    @Test func ownOldestStrangerMakesRoomForItsOwner() {
        let bench = Bench(perUser: 2)
        _ = (bench.enter(.user(1)), bench.enter(.user(2)), bench.enter(.user(1)), bench.enter(.user(1)))
        #expect(bench.closed == [1])
    }

    /// The oldest of the owner who has the most.
    @Test func fullShareOfStrangersHasRoomForANewOne() {
        let bench = Bench(strangers: 4)
        _ = bench.enter(.user(1))
        for _ in 0..<3 { _ = bench.enter(.user(2)) }
        _ = bench.enter(.user(3))
        #expect(bench.closed == [2])
        for _ in 0..<10 { _ = bench.enter(.user(3), as: 3) }
        #expect(bench.closed == [2, 3], "who has a session takes no stranger's place")
    }

    /// Behind a proxy, sessions tell people apart.
    @Test func connectionsOfAProxyAreTheirSessions() throws {
        let bench = Bench(perUser: 2)
        let numbers = (0..<6).compactMap { _ in bench.enter(.behindProxy) }
        #expect(numbers.count == 6)
        #expect(bench.table.identify(numbers[0], as: 1) && bench.table.identify(numbers[1], as: 1))
        #expect(!bench.table.identify(numbers[2], as: 1))
        #expect(bench.table.identify(numbers[2], as: 2))
        // Another person's request comes by the same connection.
        #expect(bench.table.identify(numbers[0], as: 2) && bench.table.identify(numbers[3], as: 1))
        bench.table.leave(numbers[3])
        #expect(bench.table.identify(numbers[4], as: 1))
    }
}
