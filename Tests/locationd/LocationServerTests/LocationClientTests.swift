import LocationHub
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import LocationServer
import Testing

/// LocationKit's client and the server, together.
@Suite(.timeLimit(.minutes(10)))
struct LocationClientTests {
    @Test func statusIsGiven() async throws {
        try await TestServer.run { server in
            let status = try await server.client.status()
            #expect(status.source == .stopped)
            #expect(status.authorization == .authorizedAlways)
            #expect(status.enabled)
        }
    }

    @Test func locationIsGivenAndTheConnectionClosed() async throws {
        try await TestServer.run { server in
            var demands = server.demands.makeAsyncIterator()
            async let answer = server.client.location()
            #expect(await demands.next() == true)
            try server.post(fix: 1)
            var expected = try Sample.fix(1)
            expected.sequence = 101
            #expect(try await answer == expected)
            #expect(await demands.next() == false)
            // A young enough one is known now; nothing is started for it.
            #expect(try await server.client.location(LocationRequest(maximumAge: 60)).sequence == 101)
            try await server.waitUntilAllLeft()
        }
    }

    @Test func updatesComeUntilTheLoopEnds() async throws {
        try await TestServer.run { server in
            var demands = server.demands.makeAsyncIterator()
            var options = WatchRequest()
            options.purpose = "a test"
            options.satellites = true
            var sequences: [Int64] = []
            var updates = 0
            for try await update in server.client.updates(options) {
                updates += 1
                if updates == 1 {
                    #expect(update.status?.source == .stopped)
                    #expect(await demands.next() == true)
                    for number in 1...5 { try server.post(fix: number) }
                }
                if let location = update.location { sequences.append(location.sequence) }
                #expect(update.dropped == 0)
                if sequences.count == 5 { break }
            }
            #expect(sequences == [101, 102, 103, 104, 105])
            // The connection ends with the loop.
            #expect(await demands.next() == false)
        }
    }

    @Test func updatesEndWithTheLastThatWasWanted() async throws {
        try await TestServer.run { server in
            var options = WatchRequest()
            options.maximumUpdates = 2
            var sequences: [Int64] = []
            for try await update in server.client.updates(options) {
                if update.status?.source == .starting { for number in 1...5 { try server.post(fix: number) } }
                if let location = update.location { sequences.append(location.sequence) }
            }
            #expect(sequences == [101, 102])
        }
    }

    @Test func cancellationEndsALocationRequest() async throws {
        try await TestServer.run { server in
            var demands = server.demands.makeAsyncIterator()
            let client = server.client
            let task = Task { try await client.location() }
            #expect(await demands.next() == true)
            task.cancel()
            await #expect(throws: LocationError.cancelled) { try await task.value }
            #expect(await demands.next() == false)
        }
    }

    @Test func cancellationEndsAWatch() async throws {
        try await TestServer.run { server in
            var demands = server.demands.makeAsyncIterator()
            let client = server.client
            let task = Task {
                var count = 0
                for try await _ in client.updates() { count += 1 }
                return count
            }
            #expect(await demands.next() == true)
            task.cancel()
            let count = try await task.value
            #expect(count <= 3)
            #expect(await demands.next() == false)
        }
    }

    @Test func streamThatIsNeverReadEndsWithItself() async throws {
        try await TestServer.run { server in
            var demands = server.demands.makeAsyncIterator()
            var stream: AsyncThrowingStream<LocationUpdate, any Error>? = server.client.updates()
            #expect(await demands.next() == true)
            #expect(stream != nil)
            stream = nil
            #expect(await demands.next() == false)
        }
    }

    @Test func slowLoopCountsWhatItMissed() async throws {
        try await TestServer.run { server in
            let prompt = try await server.watcher(isFirst: true)
            var updates = server.client.updates().makeAsyncIterator()
            #expect(try await updates.next()?.status != nil)
            // It is asked for nothing while 400 come; the client keeps the newest 256.
            for number in 1...400 {
                try server.post(fix: number)
                _ = try await prompt.location()
            }
            var previous: Int64 = 100
            var lost = 0
            while previous < 500 {
                let update = try #require(try await updates.next())
                lost += update.dropped
                guard let sequence = update.location?.sequence else { continue }
                #expect(sequence - previous - 1 == Int64(update.dropped))
                previous = sequence
            }
            #expect(lost > 0)
        }
    }

    @Test func endOfTheServiceIsTold() async throws {
        try await TestServer.run { server in
            var updates = server.client.updates().makeAsyncIterator()
            #expect(try await updates.next()?.status?.source == .stopped)
            #expect(try await updates.next()?.status?.source == .starting)
            async let stopped: Void = server.stop(reason: "stopping")
            #expect(try await updates.next()?.status?.reason == "stopping")
            #expect(try await updates.next() == nil)
            try await stopped
        }
    }
}
