import Authorization
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

@testable import LocationServer

/// Tokens by themselves.
@Suite struct AdministratorTokensTests {
    private var tokens = AdministratorTokens()
    private var generator = SeededGenerator(seed: 1)

    private func time(_ seconds: Double) -> BootInstant { BootInstant(nanoseconds: Int64(seconds * 1e9)) }
    private func owner(_ uid: UInt32) -> Principal { Principal(uid: uid, pid: 1, groups: [50]) }

    private mutating func add(_ uid: UInt32, _ lifetime: Double = 100, at now: Double = 0) -> String {
        tokens.add(for: owner(uid), lifetime: lifetime, at: time(now), using: &generator)
    }

    private mutating func owner(_ token: String, _ uid: UInt32, at now: Double = 0) -> Principal? {
        tokens.owner(of: token, uid: uid, at: time(now))
    }

    @Test mutating func tokenIsItsOwnersUntilItIsOver() {
        let token = add(7)
        #expect(token.count == 64 && token.allSatisfy(\.isHexDigit))
        let (before, foreign, other) = (owner(token, 7, at: 99.9), owner(token, 8), owner(token + "0", 7))
        #expect(before == owner(7) && foreign == nil && other == nil)
        let (over, again) = (owner(token, 7, at: 100), owner(token, 7))
        #expect(over == nil && again == nil, "it does not come back when the clock is set back")
    }

    @Test mutating func longestLifetimeIsALimit() {
        let token = add(7, 1e9)
        let (before, after) = (owner(token, 7, at: 43_199), owner(token, 7, at: 43_200))
        #expect(before != nil && after == nil)
    }

    @Test mutating func revokedTokenIsNone() {
        let (token, kept) = (add(7), add(7))
        tokens.revoke(token)
        tokens.revoke("unknown")
        let found = (owner(token, 7), owner(kept, 7))
        #expect(found.0 == nil && found.1 != nil && token != kept)
    }

    @Test mutating func oldestOfAUserMakesRoom() {
        let (first, second, foreign) = (add(7), add(7), add(8))
        for _ in 0..<63 { _ = add(7) }
        let found = (owner(first, 7), owner(second, 7), owner(foreign, 8))
        #expect(found.0 == nil && found.1 != nil && found.2 != nil)
        #expect(tokens.count == 65)
        _ = add(9, at: 100)
        #expect(tokens.count == 1, "what is over is not kept")
    }

    /// Zeros before a number's first digit are a part of it.
    @Test mutating func everyTokenHasAllItsBits() {
        // It has a size, because the thread sanitizer reads where a value without one would be.
        struct Ten: RandomNumberGenerator {
            var count = 0
            mutating func next() -> UInt64 {
                count += 1
                return 10
            }
        }
        var ten = Ten()
        let token = tokens.add(for: owner(7), at: time(0), using: &ten)
        #expect(ten.count == 4)
        #expect(token == String(repeating: "000000000000000a", count: 4))
    }
}
