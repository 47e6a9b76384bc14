import ServiceServer
import Testing

struct ByteAccountTests {
    @Test func oneUserCannotHoldMoreThanTheLimitOfOne() {
        var account = ByteAccount(limit: 1000, limitPerUser: 100)
        let held = [account.hold(100, for: 1), account.hold(1, for: 1), account.hold(100, for: 2)]
        #expect(held == [true, false, true])
        #expect(account.held(for: 1) == 100)
        #expect(account.total == 200)
    }

    @Test func allTogetherCannotHoldMoreThanTheLimitOfAll() {
        var account = ByteAccount(limit: 150, limitPerUser: 100)
        let held = [account.hold(100, for: 1), account.hold(51, for: 2), account.hold(50, for: 2)]
        #expect(held == [true, false, true])
        #expect(account.total == 150)
    }

    @Test func whatIsReleasedMayBeHeldAgain() {
        var account = ByteAccount(limit: 100, limitPerUser: 100)
        account.charge(100, to: 1)
        account.release(60, of: 1)
        let isHeld = account.hold(60, for: 2)
        #expect(isHeld)
        account.release(40, of: 1)
        account.release(60, of: 2)
        #expect(account.total == 0)
        #expect(account.held(for: 1) == 0)
    }

    @Test func chargedBytesCountBeyondTheLimits() {
        var account = ByteAccount(limit: 100, limitPerUser: 50)
        account.charge(80, to: 1)
        #expect(!account.mayHold(1, for: 1))
        #expect(account.mayHold(20, for: 2))
        #expect(!account.mayHold(21, for: 2))
    }

    @Test func moreThanIsHeldCannotBeReleased() {
        var account = ByteAccount(limit: 100, limitPerUser: 100)
        account.charge(10, to: 1)
        account.charge(10, to: 2)
        account.release(50, of: 1)
        #expect(account.total == 10)
        #expect(account.held(for: 2) == 10)
    }
}
