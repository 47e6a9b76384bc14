import Dispatch
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import LocationServer
import ServerDoubles
import ServiceKit
@_spi(Programs) import SystemSupport
import Testing

/// What the server counts and measures for monitoring.
@Suite(.timeLimit(.minutes(10)))
struct MetricsTests {
    @Test func figuresFollowWhatHappens() async throws {
        try await TestServer.run {
            $0.hooks.sources = { [(name: "receiver", counters: ["garbage": 3]), (name: "spare", counters: [:])] }
        } _: { server in
            let before = try await server.server.figures()
            #expect(before.fixAge == nil && before.isEnabled && before.overflowedFixes == 0 && before.badRequests == 0)
            #expect(before.fixesBySource == ["receiver": .init(), "spare": .init()])
            let watch = try await server.watcher(isFirst: true)
            for number in [1, 2, 2] { try server.post(fix: number) }
            for _ in 1...2 { _ = try await watch.location() }
            let control = try server.connect(.control)
            let simulate = #"{"location":{"latitude":1,"longitude":2}}"#
            #expect(try await control.call(AdminInterface.Method.simulate, simulate).error == nil)
            #expect(try await control.call("org.locationd.admin.Nonsense").error != nil)
            #expect(try await control.call(AdminInterface.Method.stop).error == nil)
            let after = try await server.server.figures()
            #expect(
                after.fixesBySource == [
                    "receiver": .init(accepted: 2, repeated: 1), "spare": .init(), "simulate": .init(accepted: 1),
                ])
            #expect((0..<600).contains(try #require(after.fixAge)))
            #expect(after.badRequests == 1 && !after.isEnabled)
            #expect(after.statistics.fixes == 3 && after.statistics.clients == 2)
        }
    }

    @Test func fixIsEncodedOnceForAllWhoSeeTheSame() async throws {
        try await TestServer.run { server in
            var watches: [WireClient] = []
            for number in 0..<20 { watches.append(try await server.watcher(isFirst: number == 0)) }
            for _ in 0..<20 { _ = try await server.watcher(#"{"distanceFilter":1e6,"everySource":true}"#) }
            try server.post(fix: 1)
            for watch in watches { _ = try await watch.location() }
            let before = try await server.server.figures()
            for number in 2...6 {
                try server.post(fix: number)
                for watch in watches { _ = try await watch.location() }
            }
            let after = try await server.server.figures()
            #expect(after.encodings - before.encodings == 5)
            #expect(after.statistics.deliveries - before.statistics.deliveries == 5 * 20)
        }
    }

    @Test(.enabled(if: OtherUserClients.isPossible, "becoming other users takes root"))
    func refusalsAreCountedByStatus() async throws {
        try await TestServer.run { server in
            let stranger = server.keep(try #require(await OtherUserClients.connect(to: server.locationPath).first))
            for _ in 1...3 { #expect(try await stranger.call(LocationInterface.Method.getLocation).error != nil) }
            let decision = #"{"principal":"uid:65533","authorization":"denied"}"#
            let control = try server.connect(.control)
            #expect(try await control.call(AdminInterface.Method.setAuthorization, decision).error == nil)
            try await stranger.send(LocationInterface.Method.watch, "{}", flags: "\"more\":true")
            _ = try await stranger.message()
            #expect(try await server.server.figures().authorizationRefusals == [.notDetermined: 3, .denied: 1])
        }
    }

    @Test func latencyAndFirstFixAreMeasured() async throws {
        let registry = PrometheusRegistry()
        try await TestServer.run {
            $0.metrics = registry
        } _: { server in
            func count(_ name: String) throws -> Int {
                let sample = try #require(registry.readings.first { $0.name == name }?.samples.first)
                guard case .histogram(let histogram) = sample.value else { return -1 }
                #expect(histogram.sum >= 0 && histogram.sum < 600)
                return histogram.count
            }
            #expect(try count(ServerInstruments.timeToFirstFix) == 0)
            let watch = try await server.watcher(isFirst: true)
            for number in 1...5 {
                try server.post(fix: number)
                _ = try await watch.location()
            }
            // The last fix was read before its letter was answered for; the next call comes after that.
            _ = try await server.server.figures()
            #expect(try count(ServerInstruments.eventLoopLatency) == 5)
            #expect(try count(ServerInstruments.timeToFirstFix) == 1)
        }
    }

    @Test func metricsAreAskedForOnTheControlSocketAlone() async throws {
        try await TestServer.run {
            $0.hooks.text = { "clients \($0.statistics.clients)\n" }
        } _: { server in
            let reply = try await server.connect(.control).call(AdminInterface.Method.getMetrics)
            #expect(try reply.parameters(as: MetricsReply.self).text == "clients 1\n")
            let refused = try await server.connect().call(AdminInterface.Method.getMetrics)
            #expect(refused.error == "org.varlink.service.InterfaceNotFound")
        }
    }

    @Test func metricsAreToldWhileManyWaitForTheDisk() async throws {
        let disk = DispatchSemaphore(value: 0)
        let (tasks, waitingTasks) = try (#require(TaskThreads()), #require(TaskThreads()))
        let count = 20
        try await TestServer.run {
            ($0.hooks.tasks, $0.hooks.waitingTasks) = (tasks, waitingTasks)
            $0.hooks.text = { _ in "told" }
            $0.hooks.onPersistSwitch = { Self.wait(for: disk) }
        } _: { server in
            let callers = try (0..<count).map { _ in try server.connect(.control) }
            for caller in callers { try await caller.send(AdminInterface.Method.stop) }
            let reply = try await server.connect(.control).call(AdminInterface.Method.getMetrics)
            #expect(try reply.parameters(as: MetricsReply.self).text == "told")
            // What they tell later finds the event loop, though the server is asked to end.
            async let stopped: Void = server.stop()
            for _ in 0..<count { disk.signal() }
            try await stopped
        }
    }

    private static func wait(for disk: DispatchSemaphore) { disk.wait() }
}
