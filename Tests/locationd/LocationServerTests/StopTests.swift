@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

/// The end of the service.
@Suite(.timeLimit(.minutes(10)))
struct StopTests {
    @Test func everyWatchIsToldTheReasonInAFinalReply() async throws {
        try await TestServer.run { server in
            let first = try await server.watcher(isFirst: true)
            let second = try await server.watcher(#"{"passive":true}"#)
            let idle = try server.connect(.control)
            _ = try await idle.call(LocationInterface.Method.getStatus)
            // Nobody is waited for who has read it.
            async let stopped: Void = server.stop(reason: "stopping", patience: .seconds(3600))
            for client in [first, second] {
                let messages = try await client.messagesUntilEnd()
                #expect(
                    messages.map(\.text) == [
                        #"{"parameters":{"status":{"accuracy":"full","authorization":"authorizedAlways","#
                            + #""authorizationPending":false,"enabled":true,"reason":"stopping","source":"stopped"}}}"#
                    ])
            }
            #expect(try await idle.messagesUntilEnd().isEmpty)
            try await stopped
            #expect(throws: Failure.self) { try server.connect() }
        }
    }

    @Test func whoeverWaitsForALocationIsTold() async throws {
        try await TestServer.run { server in
            var demands = server.demands.makeAsyncIterator()
            let client = try server.connect()
            try await client.send(LocationInterface.Method.getLocation, #"{"timeout":3600}"#)
            #expect(await demands.next() == true)
            async let stopped: Void = server.stop(reason: "stopping")
            let messages = try await client.messagesUntilEnd()
            #expect(messages.map(\.error) == [LocationInterface.Failure.locationUnavailable])
            #expect(try messages.first?.explained.reason == "stopping")
            try await stopped
            #expect(await demands.next() == false)
        }
    }

    @Test func stalledWatchHoldsItUpForFiveSecondsAtMost() async throws {
        try await TestServer.run { server in
            let prompt = try await server.watcher(isFirst: true)
            let stalled = try await server.watcher()
            for number in 1...200 {
                try server.post(fix: number)
                _ = try await prompt.location()
            }
            let clock = ContinuousClock()
            let start = clock.now
            async let stopped: Void = server.stop()
            #expect(try await prompt.messagesUntilEnd().last?.update.status?.reason == "stopping")
            await prompt.close()
            try await stopped
            #expect((.milliseconds(900)..<(.seconds(60))).contains(clock.now - start))
            #expect(try await stalled.messagesUntilEnd().count > 50)
        }
    }

    /// A watch that is only slow gets its final reply after what was already on the way.
    @Test func slowWatchThatReadsOnIsTold() async throws {
        try await TestServer.run { server in
            let prompt = try await server.watcher(isFirst: true)
            let slow = try await server.watcher()
            for number in 1...200 {
                try server.post(fix: number)
                _ = try await prompt.location()
            }
            async let stopped: Void = server.stop(patience: .seconds(60))
            _ = try await prompt.messagesUntilEnd()
            let messages = try await slow.messagesUntilEnd()
            #expect(messages.last?.continues == false)
            #expect(try messages.last?.update.status?.reason == "stopping")
            try await stopped
        }
    }
}
