import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import LocationServer
import ServerDoubles
import Testing

@Suite(.timeLimit(.minutes(10)))
struct StatisticsTests {
    @Test func statisticsCount() async throws {
        let start = ContinuousClock.now
        try await TestServer.run {
            $0.hooks.sources = { [(name: "receiver", counters: ["garbled": 3])] }
        } _: { server in
            let watch = try await server.watcher(isFirst: true)
            server.post(.condition(.connected(reason: "no satellites")))
            #expect(try await watch.message().update.status?.source == .searching)
            for number in [1, 2, 2] { try server.post(fix: number) }
            for _ in 1...2 { _ = try await watch.location() }
            let statistics = try await server.connect(.control).call(AdminInterface.Method.getStatistics)
                .parameters(as: StatisticsReply.self).statistics
            #expect(statistics.version == "1.2.3")
            #expect(statistics.pid == Int(getpid()))
            #expect(statistics.uptime >= 0 && .seconds(statistics.uptime) <= ContinuousClock.now - start)
            #expect(statistics.clients == 2)
            #expect(statistics.watches == 1)
            #expect(statistics.requests == 0)
            #expect(statistics.refusedConnections == 0)
            #expect(statistics.fixes == 2)
            #expect(statistics.repeats == 1)
            // The opening, three states and two locations.
            #expect(statistics.deliveries == 6)
            #expect(statistics.dropped == 0)
            #expect(statistics.sequence == 102)
            #expect(statistics.demand)
            #expect((1 << 20..<1 << 34).contains(try #require(statistics.residentBytes)))
            #expect(
                statistics.sources == [
                    SourceReport(
                        name: "receiver", running: true, fixes: 2, counters: ["garbled": 3], reason: "no satellites")
                ])
            let receiver = try #require(statistics.receivers.first)
            #expect(receiver.source == "gpsd")
            #expect(receiver.device == "/dev/ttyACM0")
            #expect(receiver.followed)
            #expect(receiver.hasFix)
            #expect(receiver.fixAge == 0)
        }
    }
}
