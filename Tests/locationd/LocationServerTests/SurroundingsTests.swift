import LocationHub
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import LocationServer
import ProgramTestSupport
import ServerDoubles
import Testing

/// What passes between the server and the program around it.
@Suite(.timeLimit(.minutes(10)))
struct SurroundingsTests {
    @Test func lastLocationIsKeptSeldomAndAtTheEnd() async throws {
        let kept = ValueRecorder<Int64>()
        try await TestServer.run {
            $0.hooks.onLocation = { kept.append($0.sequence) }
        } _: { server in
            let watch = try await server.watcher(isFirst: true)
            for number in 1...3 {
                try server.post(fix: number)
                _ = try await watch.location()
            }
            #expect(kept.values == [101])
            await watch.close()
            try await server.stop()
            #expect(kept.values == [101, 103])
        }
    }

    @Test func demandIsToldOnce() async throws {
        try await TestServer.run { server in
            var demands = server.demands.makeAsyncIterator()
            let watches = [
                try await server.watcher(#"{"passive":true}"#), try await server.watcher(),
                try await server.watcher(#"{"location":false}"#), try await server.watcher(),
            ]
            #expect(await demands.next() == true)
            for watch in watches { await watch.close() }
            #expect(await demands.next() == false)
            _ = try await server.watcher(#"{"satellites":true,"location":false}"#)
            #expect(await demands.next() == true)
        }
    }

    @Test func replacedSourcesAreForgotten() async throws {
        try await TestServer.run { server in
            let watch = try await server.watcher(isFirst: true)
            server.post(.condition(.unavailable(reason: "gpsd does not answer")))
            #expect(try await watch.message().update.status?.reason == "gpsd does not answer")
            try await server.server.replaceSources([])
            let status = try await watch.message().update.status
            #expect(status?.source == .unavailable)
            #expect(status?.reason?.contains("no source is configured") == true)
        }
    }

    /// A sky that nobody wants waits for the next thing that is told, which may be another source's.
    @Test func replacedSourceHasNoLastWordInItsSuccessorsName() async throws {
        try await TestServer.run { server in
            let watch = try await server.watcher(isFirst: true)
            let sky = [Satellite(gnss: "GPS", id: 1, used: true)]
            server.post(.condition(.connected(reason: "old")))
            while try await watch.message().update.status?.reason != "old" {}
            server.post(.satellites(sky, device: "/dev/old", at: .present))
            try await server.server.replaceSources(["new"])
            server.post(.condition(.connected(reason: "new")))
            while try await watch.message().update.status?.reason != "new" {}
            let statistics = try await server.connect(.control).call(AdminInterface.Method.getStatistics)
                .parameters(as: StatisticsReply.self).statistics
            #expect(statistics.receivers.isEmpty)
        }
    }

    @Test func changedSettingsHoldForThoseConnected() async throws {
        try await TestServer.run { server in
            let watch = try await server.watcher(isFirst: true)
            server.post(.condition(.connected(reason: nil)))
            #expect(try await watch.message().update.status?.source == .searching)
            var past = try Sample.fix(1)
            past.monotonicTime = .present
            server.post(.fix(past))
            #expect(try await watch.location().update.location?.value.sequence == 101)
            // It was fresh for three seconds, and is so no longer.
            try await server.server.apply { $0.hub.staleAfter = 0.001 }
            #expect(try await watch.message().update.status?.source == .lost)
        }
    }
}
