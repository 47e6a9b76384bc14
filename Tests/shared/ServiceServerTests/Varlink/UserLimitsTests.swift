import NIOCore
import NIOEmbedded
import Testing
import Varlink

@testable import ServiceServer

/// What is counted when a connection becomes that of another user whom its maker serves.
@Suite struct UserLimitsTests {
    private static let bridge = UserLimits.Caller(uid: 0, isExempt: true)
    private static let user = UserLimits.Caller(uid: 7, isExempt: false)

    /// Limits, and a connection of the bridge, on an event loop whose time goes as the test says.
    private final class Bench: ConnectionOwner {
        let loop = EmbeddedEventLoop()
        let limits: UserLimits
        let connection: Connection
        private(set) var received = 0

        init(perUser: Int = 2, callsPerSecond: Double = 10) {
            limits = UserLimits(
                .init(connections: 100, connectionsPerUser: perUser, callsPerSecond: callsPerSecond),
                loop: ServiceLoop(on: loop))
            connection = Connection(
                channel: EmbeddedChannel(loop: loop), descriptor: -1, requestLimit: 65_536, encoder: MessageEncoder())
            connection.owner = self
            _ = limits.enter(bridge)
        }

        func hand() -> Int? { limits.hand(connection, from: bridge, to: user) }

        /// The event loop is busy for so long with other calls.
        func beBusy(milliseconds: Int64) {
            limits.scheduler.measure { loop.advanceTime(by: .milliseconds(milliseconds)) }
        }

        func call() { connection.received(ByteBuffer(string: #"{"method":"a.b"}"# + "\0")) }

        func connection(_ connection: Connection, received call: Call) {
            received += 1
            connection.reply(NoParameters())
        }
        func connection(_ connection: Connection, violated error: ErrorReply) {}
        func connectionFellBehind(_ connection: Connection) {}
        func connectionDrained(_ connection: Connection) {}
        func connectionClosed(_ connection: Connection) {}
    }

    @Test func connectionIsCountedForItsNewUserAlone() {
        let bench = Bench()
        let limit = bench.hand()
        #expect(limit == nil && bench.limits.admission.total == 1)
        bench.limits.leave(Self.user)
        #expect(bench.limits.admission.total == 0 && bench.limits.admission.internalErrors == 0)
    }

    /// However it is refused: in words, or, where many are refused at the time, without.
    @Test(arguments: [0, Admission.refusedAtOncePerUser]) func refusedConnectionStaysWhatItWas(refused: Int) {
        let bench = Bench()
        for _ in 0..<2 { _ = bench.limits.enter(Self.user) }
        for _ in 0..<refused { _ = bench.limits.enter(Self.user) }
        for _ in 0..<3 {
            let limit = bench.hand()
            #expect(limit == 2)
        }
        #expect(bench.limits.admission.total == 3 && bench.limits.admission.refused == refused)
        bench.limits.leave(Self.bridge)
        for _ in 0..<2 { bench.limits.leave(Self.user) }
        #expect(bench.limits.admission.total == 0 && bench.limits.admission.internalErrors == 0)
    }

    /// The bridge's own calls never wait; those for a user wait for that user's turn.
    @Test func callsWaitForTheTurnOfTheNewUser() {
        let bench = Bench()
        bench.beBusy(milliseconds: 5)
        bench.call()
        #expect(bench.received == 1)
        let limit = bench.hand()
        #expect(limit == nil)
        bench.beBusy(milliseconds: 5)
        bench.call()
        #expect(bench.received == 1 && bench.limits.scheduler.waiting == 1)
        bench.loop.advanceTime(by: .milliseconds(20))
        #expect(bench.received == 2 && bench.limits.scheduler.waiting == 0)
    }

    /// A connection and its first call: one unit, and one for each KiB begun.
    @Test(arguments: [(10, 10), (1024, 10), (1025, 7), (3000, 5)])
    func firstCallForAUserCostsAConnectionToo(bytes: Int, count: Int) throws {
        let bench = Bench(callsPerSecond: 10)
        let head = #"{"method":"a.b"}"#
        let call = try Call(Array((head + String(repeating: " ", count: max(0, bytes - head.utf8.count))).utf8))
        let admitted = (0..<30).count { _ in bench.limits.mayConnect(Self.user, with: call) }
        #expect(admitted == count)
        #expect(bench.limits.mayConnect(Self.bridge, with: call), "the exempt may always")
    }
}
