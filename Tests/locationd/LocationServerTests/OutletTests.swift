@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import Testing

/// Those who read at once are sent to side by side; nobody else gets what was meant for one of them.
@Suite(.timeLimit(.minutes(10)))
struct OutletTests {
    /// Its descriptor, and the place of its watch, are soon another's.
    @Test func nothingIsSentToWhomASharedDescriptorBelongsNext() async throws {
        try await TestServer.run { server in
            let one = try await server.watcher(isFirst: true)
            let other = try await server.watcher()
            let control = try server.connect(.control)
            for number in 1...3 {
                try server.post(fix: number)
                for watcher in [one, other] {
                    #expect(try await watcher.location().update.location?.value.sequence == 100 + Int64(number))
                }
            }
            #expect(try await clients(control).map(\.id) == [1, 2, 3])
            await one.close()
            while try await clients(control).count == 3 {}
            let newcomers = [try server.connect(.control), try server.connect(.control)]
            let watcher = try await server.watcher()
            for number in 4...5 {
                try server.post(fix: number)
                for watcher in [other, watcher] {
                    #expect(try await watcher.location().update.location?.value.sequence == 100 + Int64(number))
                }
            }
            for newcomer in newcomers { #expect(try await clients(newcomer).count == 5) }
        }
    }

    @Test func whatIsSentToEverybodyAtOnceIsCountedForEachClient() async throws {
        try await TestServer.run { server in
            let watch = try await server.watcher(isFirst: true)
            try server.post(fix: 1)
            _ = try await watch.location()
            let control = try server.connect(.control)
            let before = try #require(try await clients(control).first).sent
            for number in 2...6 {
                try server.post(fix: number)
                _ = try await watch.location()
            }
            for _ in 1...2 { #expect(try await clients(control).first?.sent == before + 5) }
            let statistics = try await control.call(AdminInterface.Method.getStatistics)
                .parameters(as: StatisticsReply.self).statistics
            #expect(statistics.deliveries == before + 5)
        }
    }

    private func clients(_ control: WireClient) async throws -> [ClientReport] {
        try await control.call(AdminInterface.Method.listClients).parameters(as: ClientList.self).clients
    }
}
