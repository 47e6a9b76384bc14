import LocationHub
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import LocationServer
import ProgramTestSupport
import ServerDoubles
import Synchronization
import Testing

/// Sources off one by one, while the machine sleeps and while the battery is low, over the wire.
@Suite(.timeLimit(.minutes(10)))
struct PowerTests {
    @Test func aSourceIsSwitchedOffAndOn() async throws {
        let kept = Mutex<[Set<String>]>([])
        let off = Mutex<[Set<String>]>([])
        try await TestServer.run {
            $0.hooks.onSwitchedOffSources = { names in kept.withLock { $0.append(names) } }
            $0.hooks.onSourcesOff = { names in off.withLock { $0.append(names) } }
            $0.hooks.sources = { [(name: "receiver", counters: [:])] }
        } _: { server in
            let watch = try await server.watcher(isFirst: true)
            let control = try server.connect(.control)
            _ = try await control.call(AdminInterface.Method.setSource, #"{"name":"receiver","enabled":false}"#)
            let status = try #require(try await watch.message().update.status)
            #expect(status.source == .unavailable)
            #expect(
                status.reason
                    == "receiver is switched off by an administrator; `sudo locctl source receiver on` switches it on")
            let statistics = try await control.call(AdminInterface.Method.getStatistics)
                .parameters(as: StatisticsReply.self).statistics
            #expect(statistics.sources.first?.enabled == false)
            _ = try await control.call(AdminInterface.Method.setSource, #"{"name":"receiver","enabled":true}"#)
            #expect(try await watch.message().update.status?.source == .starting)
            #expect(kept.withLock { $0 } == [["receiver"], []])
            #expect(off.withLock { $0 } == [["receiver"], []])
        }
    }

    @Test func anUnknownSourceIsAnErrorWithTheKnownOnes() async throws {
        try await TestServer.run { server in
            let control = try server.connect(.control)
            let error = try await control.call(AdminInterface.Method.setSource, #"{"name":"x","enabled":false}"#)
            #expect(error.error == AdminInterface.Failure.noSuchSource)
            #expect(try error.parameters(as: UnknownSource.self) == UnknownSource(name: "x", known: ["receiver"]))
        }
    }

    /// The machine sleeps when it is answered, so it is answered when the sources have stopped.
    @Test func suspensionIsAnsweredWhenTheSourcesHaveStopped() async throws {
        let isStopped = Mutex(false)
        let (stops, stop) = AsyncStream.makeStream(of: Void.self)
        try await TestServer.run {
            $0.hooks.onAwaitStop = {
                for await _ in stops { break }
                isStopped.withLock { $0 = true }
            }
        } _: { server in
            let watch = try await server.watcher(isFirst: true)
            let control = try server.connect(.control)
            try await control.send(AdminInterface.Method.suspend)
            let status = try #require(try await watch.message().update.status)
            #expect(status.source == .stopped)
            #expect(status.reason == "the machine is going to sleep")
            stop.yield()
            #expect(try await control.message().error == nil)
            #expect(isStopped.withLock { $0 })
            _ = try await control.call(AdminInterface.Method.resume)
            #expect(try await watch.message().update.status?.source == .starting)
        }
    }

    @Test func aSourceThatDoesNotStopHoldsTheSleepUpForSecondsOnly() async throws {
        try await TestServer.run {
            $0.hooks.onAwaitStop = { try? await Task.sleep(for: .seconds(3600)) }
        } _: { server in
            let control = try server.connect(.control)
            #expect(try await control.call(AdminInterface.Method.suspend).error == nil)
        }
    }

    @Test func aLowBatteryIsToldAndCounted() async throws {
        let reading = Mutex(BatteryReading.charge(percent: 8, isDischarging: true))
        try await TestServer.run {
            $0.settings.hub.minimumBattery = 10
            $0.hooks.reading = { reading.withLock { $0 } }
        } _: { server in
            let watch = try await server.watcher(isFirst: true)
            let status = try #require(try await watch.message().update.status)
            #expect(status.source == .unavailable)
            #expect(status.reason == "the battery is at 8 %, below the 10 % of power.minimum-battery")
            let control = try server.connect(.control)
            let battery = try await control.call(AdminInterface.Method.getStatistics)
                .parameters(as: StatisticsReply.self).statistics.battery
            #expect(battery == BatteryReport(level: 8, discharging: true, minimum: 10, low: true, faults: 0))
            let answer = try await server.connect().call(LocationInterface.Method.getLocation)
            #expect(answer.error == LocationInterface.Failure.locationUnavailable)
        }
    }

    @Test func clientsAndPrincipalsHaveTheirShareOfTheTime() async throws {
        try await TestServer.run { server in
            let watch = try await server.watcher(isFirst: true)
            let control = try server.connect(.control)
            func clients() async throws -> [ClientReport] {
                try await control.call(AdminInterface.Method.listClients).parameters(as: ClientList.self).clients
            }
            try await eventually("the watch has a share of it") {
                try await clients().contains { $0.receiverTime > 0 && $0.request == "Watch" }
            }
            #expect(try await clients().filter { $0.request != "Watch" }.allSatisfy { $0.receiverTime == 0 })
            await watch.close()
            try await eventually("its principal keeps it") {
                let statistics = try await control.call(AdminInterface.Method.getStatistics)
                    .parameters(as: StatisticsReply.self).statistics
                let share = statistics.receiverShares.first?.receiverTime ?? 0
                return statistics.clients == 1 && share > 0 && abs(share - statistics.receiverTime) < 1e-6
            }
        }
    }
}
