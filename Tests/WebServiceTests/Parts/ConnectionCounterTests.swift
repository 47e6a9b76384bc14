import Testing

@testable import WebService

/// How many connections there may be.
@Suite struct ConnectionCounterTests {
    @Test func limitsAreThoseOfOpenConnections() {
        let counter = ConnectionCounter(5, perUser: 3)
        for _ in 0..<3 { #expect(counter.enter(1)) }
        #expect(!counter.enter(1), "a user's limit")
        #expect(counter.enter(nil))
        #expect(counter.enter(2))
        #expect(!counter.enter(3), "the limit of all")
        counter.leave(1)
        #expect(counter.enter(3))
        #expect(!counter.enter(1))
        counter.leave(3)
        #expect(counter.enter(1))
        #expect(!counter.enter(1))
    }
}
