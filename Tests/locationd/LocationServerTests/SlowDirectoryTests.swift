import Authorization
import Dispatch
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import LocationServer
import ProgramTestSupport
import ServerDoubles
@_spi(Programs) import SystemSupport
import Testing

/// A directory service that does not answer delays whom it concerns, and nobody else.
@Suite(.timeLimit(.minutes(10)))
struct SlowDirectoryTests {
    private typealias Ask = LocationInterface.Method
    private typealias Admin = AdminInterface.Method

    /// A user whose first look-up fails at once.
    private static let failing: UInt32 = 48_999

    private static func served(_ uid: UInt32) -> String { #"{"onBehalfOf":{"uid":\#(uid),"label":"gpsd client"}}"# }

    /// Runs with look-ups that block the thread they are on until the body has ended, for users above 48,000.
    private func run(timeout: Double = 600, _ body: (TestServer, ValueRecorder<UInt32>) async throws -> Void)
        async throws
    {
        let release = DispatchSemaphore(value: 0)
        let lookUps = ValueRecorder<UInt32>()
        let waitingTasks = try #require(TaskThreads(named: "waiting-tasks"))
        try await TestServer.run {
            $0.settings.lookUpTimeout = timeout
            $0.hooks.waitingTasks = waitingTasks
            $0.hooks.lookUps = ThreadsOnDemand(named: "groups", limit: 8)
            $0.hooks.groups = { uid in
                lookUps.append(uid)
                let isFirst = lookUps.values.count { $0 == uid } == 1
                if uid == Self.failing, isFirst { throw Failure("the directory is down") }
                if uid > 48_000 { Self.wait(for: release) }
                return []
            }
        } _: { server in
            defer { for _ in 0..<64 { release.signal() } }
            try await body(server, lookUps)
        }
    }

    private static func wait(for semaphore: DispatchSemaphore) { semaphore.wait() }

    @Test func denialIsAnsweredWhileLookUpsHang() async throws {
        try await run { server, lookUps in
            for uid: UInt32 in 48_001...48_006 {
                try await server.connect(.control).send(Ask.getStatus, Self.served(uid))
            }
            try await eventually("six look-ups hang") { lookUps.values.count == 6 }
            let reply = try await server.connect(.control).call(
                Admin.setAuthorization, #"{"principal":"uid:48001","authorization":"denied"}"#)
            #expect(reply.error == nil, "it is on the disk")
            // Another user is looked up meanwhile.
            #expect(try await server.connect(.control).call(Ask.getStatus, Self.served(47_001)).error == nil)
        }
    }

    @Test func callThatWaitsTooLongFailsAndOthersGoOn() async throws {
        try await run(timeout: 0.2) { server, _ in
            let bridge = try server.connect(.control)
            let late = try await bridge.call(Ask.getStatus, Self.served(48_001))
            #expect(late.error == AdminInterface.Failure.failed)
            #expect(late.text.contains("has not answered for 0.2 s"), "\(late.text)")
            #expect(try await bridge.call(Ask.getStatus, Self.served(47_001)).error == nil)
        }
    }

    /// The time of a look-up that has ended is not the next one's.
    @Test func eachLookUpHasItsWholeTime() async throws {
        try await run(timeout: 1) { server, _ in
            let bridge = try server.connect(.control)
            let start = ContinuousClock.now
            let first = try await bridge.call(Ask.getStatus, Self.served(Self.failing))
            #expect(first.text.contains("the directory is down"), "\(first.text)")
            // Most of the first one's time passes. On a machine that takes longer than all of it this shows less, and
            // fails not.
            while ContinuousClock.now - start < .milliseconds(700) {
                _ = try await server.connect(.control).call(Ask.getStatus)
            }
            let again = ContinuousClock.now
            let late = try await bridge.call(Ask.getStatus, Self.served(Self.failing))
            #expect(late.text.contains("has not answered for 1.0 s"), "\(late.text)")
            #expect(ContinuousClock.now - again >= .milliseconds(990))
        }
    }

    @Test func callsOfOneUserThatWaitAreFew() async throws {
        try await run { server, lookUps in
            let clients = try (0..<9).map { _ in try server.connect(.control) }
            for client in clients { try await client.send(Ask.getStatus, Self.served(48_001)) }
            let refused = try await clients[8].message()
            #expect(refused.text.contains("8 calls of this user wait"), "\(refused.text)")
            // A thread of its own makes it.
            try await eventually("the user is looked up") { !lookUps.values.isEmpty }
            #expect(lookUps.values == [48_001])
        }
    }

    @Test func fiftyConnectionsInARowCostOneLookUp() async throws {
        try await run { server, lookUps in
            let beginning = ContinuousClock.now
            for _ in 0..<50 {
                let bridge = try server.connect(.control)
                #expect(try await bridge.call(Ask.getStatus, Self.served(47_001)).error == nil)
                await bridge.close()
            }
            // Each is believed for five seconds: a loaded machine needs more of them.
            let limit = 2 + Int((ContinuousClock.now - beginning) / .seconds(5))
            #expect((1...limit).contains(lookUps.values.count), "\(lookUps.values) instead of \(limit)")
        }
    }
}
