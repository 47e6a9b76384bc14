import LocationHub
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import Testing

/// Locations that are sent together, on the wire.
@Suite(.timeLimit(.minutes(10)))
struct BatchDeliveryTests {
    @Test func fullBatchIsOneWriteOfOrdinaryReplies() async throws {
        try await TestServer.run { server in
            let prompt = try await server.watcher(isFirst: true)
            let delayed = try await server.watcher(#"{"maximumDelay":3600}"#)
            for number in 1...96 {
                try server.post(fix: number)
                #expect(try await prompt.location().update.location?.value.sequence == 100 + Int64(number))
            }
            for sequence in Int64(101)...196 {
                let message = try await delayed.location()
                let update = try message.update
                #expect(update.location?.value.sequence == sequence && update.dropped == nil)
                #expect(message.text.hasPrefix(#"{"continues":true,"#))
            }
            let control = try server.connect(.control)
            let list = try await control.call(AdminInterface.Method.listClients).parameters(as: ClientList.self)
            #expect(list.clients.map(\.sent).prefix(2) == [99, 98], "each location counts")
            #expect(list.clients.map(\.behind) == [false, false, false], "the kernel takes all of it at once")
        }
    }

    @Test func shortDelayIsKeptByTheTimer() async throws {
        try await TestServer.run { server in
            let delayed = try await server.watcher(#"{"maximumDelay":0.2}"#, isFirst: true)
            try server.post(fix: 1)
            let update = try await delayed.location().update
            let location = try #require(update.location)
            #expect(location.value.sequence == 101)
        }
    }

    @Test func lastOfTheBatchEndsTheCall() async throws {
        try await TestServer.run { server in
            let client = try await server.watcher(#"{"maximumDelay":3600,"maximumUpdates":3}"#, isFirst: true)
            for number in 1...4 { try server.post(fix: number) }
            for sequence in Int64(101)...103 {
                let message = try await client.location()
                let update = try message.update
                #expect(update.location?.value.sequence == sequence)
                #expect(message.text.contains("continues") == (sequence < 103))
            }
            // The connection is free for the next call.
            let status = try await client.call(LocationInterface.Method.getStatus).parameters(as: StatusReply.self)
            #expect(status.status.enabled)
        }
    }

    @Test func stopOfTheServiceSendsWhatIsHeldAndTheReason() async throws {
        try await TestServer.run { server in
            let client = try await server.watcher(#"{"maximumDelay":3600}"#, isFirst: true)
            let prompt = try await server.watcher()
            for number in 1...3 { try server.post(fix: number) }
            for _ in 1...3 { _ = try await prompt.location() }
            try await server.stop()
            #expect(try await client.message().update.status?.source == .tracking)
            for sequence in Int64(101)...103 {
                #expect(try await client.message().update.location?.value.sequence == sequence)
            }
            #expect(try await client.message().update.status?.reason == "stopping")
        }
    }
}
