import Glibc
@_spi(Programs) import LocationModel
import Places
import ProgramTestSupport
import ServiceServer
import Synchronization
import Testing
import Varlink

@testable import locationd_places

/// The service ends when nobody needs it, and no caller is lost by it.
@Suite(.timeLimit(.minutes(10)))
struct ServiceIdleTests {
    /// A socket that listens as long as the test, as systemd's does.
    private final class Entrance: Sendable {
        let folder: TemporaryFolder
        private let descriptor: Int32

        init() throws {
            folder = try TemporaryFolder()
            descriptor = try ListeningSocket.bind(path: folder("places.sock"), mode: 0o666, group: nil).listen()
        }

        deinit { close(descriptor) }

        /// One more service behind it.
        func serve(_ setup: ServiceBench.Setup) async throws -> ServiceBench {
            try await ServiceBench(setup, folder, ListeningSocket(inherited: dup(descriptor)))
        }
    }

    private let setup: ServiceBench.Setup = {
        var setup = ServiceBench.Setup()
        setup.idleExit = 60
        return setup
    }()

    @Test func endsWhenNobodyCame() async throws {
        let bench = try await Entrance().serve(setup)
        #expect(bench.time.waiting == [60])
        bench.time.pass(60)
        await bench.server.idle()
        await bench.server.stop()
    }

    @Test func timeCountsFromTheLastOneWhoLeft() async throws {
        let bench = try await Entrance().serve(setup)
        let ended = Mutex(false)
        async let idle: Void = {
            await bench.server.idle()
            ended.withLock { $0 = true }
        }()
        let first = try bench.connect()
        let second = try bench.connect()
        // Their own patience is 300.
        try await eventually("both are there") { bench.time.waiting == [300, 300] }
        bench.time.pass(100)
        first.end()
        try await eventually("one left") { bench.time.waiting == [200] }
        bench.time.pass(100)
        second.end()
        try await eventually("both left") { bench.time.waiting == [60] }
        bench.time.pass(59)
        // Who asks now is served.
        let third = try bench.connect()
        #expect(try await third.call("Geocode", "{\"text\":\"a\"}").error == nil)
        bench.time.pass(59)
        third.end()
        try await eventually("all left") { bench.time.waiting == [60] }
        #expect(!ended.withLock { $0 })
        bench.time.pass(60)
        await idle
        await bench.server.stop()
    }

    @Test func neverEndsWhereItMayNot() async throws {
        try await ServiceBench.run { bench in
            #expect(bench.time.waiting.isEmpty)
            let client = try bench.connect()
            #expect(try await client.call("Geocode", "{\"text\":\"a\"}").error == nil)
            client.end()
            try await eventually("it left") { bench.time.waiting.isEmpty }
        }
    }

    @Test func whoComesAfterTheEndIsServedByTheNext() async throws {
        let entrance = try Entrance()
        let first = try await entrance.serve(setup)
        first.time.pass(60)
        await first.server.idle()
        let client = try first.connect()
        client.send(ServiceClient.reverse)
        await first.server.stop()
        let second = try await entrance.serve(setup)
        #expect(try await client.reply().error == nil)
        client.end()
        await second.server.stop()
    }

    /// Whoever comes in the very moment is served, by the one that ends or by the next.
    @Test func whoComesMeanwhileIsServed() async throws {
        let entrance = try Entrance()
        for _ in 0..<200 {
            let first = try await entrance.serve(setup)
            let isOver = Mutex(false)
            let next = Task { [setup] in
                await first.server.idle()
                await first.server.stop()
                isOver.withLock { $0 = true }
                return try await entrance.serve(setup)
            }
            async let connected = blocking {
                let client = try first.connect()
                client.send(ServiceClient.reverse)
                return client
            }
            first.time.pass(60)
            let client = try await connected
            #expect(try await client.reply().error == nil)
            client.end()
            try await eventually("the first ends") {
                first.time.pass(60)
                return isOver.withLock { $0 }
            }
            try await next.value.server.stop()
        }
    }
}
