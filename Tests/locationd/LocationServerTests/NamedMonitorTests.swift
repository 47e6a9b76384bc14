import LocationHub
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import LocationServer
import ProgramTestSupport
@_spi(Programs) import RegionMonitoring
import ServerDoubles
import Synchronization
import Testing

/// Monitors that are kept under names, over the wire.
@Suite(.timeLimit(.minutes(10)))
struct NamedMonitorTests {
    private typealias Method = LocationInterface.Method
    private typealias Failed = LocationInterface.Failure
    private static let mine = #"{"name":"mine","regions":[\#(circle())]}"#

    @Test func nameIsTakenUpByOneConnectionAtATime() async throws {
        try await TestServer.run { server in
            let first = try await server.monitor(Self.mine)
            let second = try server.connect()
            try await second.send(Method.monitor, #"{"name":"mine"}"#, flags: "\"more\":true")
            let refusal = try await second.message()
            #expect(refusal.error == Failed.monitorInUse)
            #expect(try refusal.parameters(as: MonitorName.self).name == "mine")
            try server.post(fix: 1, metresNorth: 0)
            #expect(try await first.reports(2) == ["home unknown", "home inside"])
            await first.close()
            let watch = try await server.watcher()
            try await server.waitUntilMonitorsAre(0)
            #expect(try await second.monitors().first?.active == false)
            _ = try await server.monitor(#"{"name":"mine"}"#, over: second)
            try server.post(fix: 2, metresNorth: -800)
            let reports = try await second.reports(2)
            #expect(reports.last == "home outside exited" || reports == ["home inside", "home outside exited"])
            _ = watch
        }
    }

    @Test func unknownNameIsAnError() async throws {
        try await TestServer.run { server in
            let client = try server.connect()
            try await client.send(Method.monitor, #"{"name":"nothing\u0007"}"#, flags: "\"more\":true")
            #expect(try await client.message().error == Failed.noSuchMonitor)
            #expect(try await client.call(Method.removeMonitor, #"{"name":"nothing"}"#).error == Failed.noSuchMonitor)
            #expect(try await client.call(Method.changeRegions, #"{"name":"nothing"}"#).error == Failed.noSuchMonitor)
            #expect(try await client.monitors().isEmpty)
        }
    }

    @Test func removedMonitorsConnectionIsToldAndServedOn() async throws {
        try await TestServer.run { server in
            let client = try await server.monitor(Self.mine)
            #expect(try await client.reports(1) == ["home unknown"])
            let other = try server.connect()
            #expect(try await other.call(Method.removeMonitor, #"{"name":"mine"}"#).error == nil)
            while true {
                let message = try await client.message()
                if message.continues { continue }
                #expect(message.error == Failed.noSuchMonitor)
                break
            }
            #expect(try await client.call(Method.getStatus).error == nil)
            #expect(try await other.monitors().isEmpty)
        }
    }

    @Test func changedRegionsAreToldAndListed() async throws {
        try await TestServer.run { server in
            let client = try await server.monitor(Self.mine)
            try server.post(fix: 1, metresNorth: 0)
            #expect(try await client.reports(2) == ["home unknown", "home inside"])
            let other = try server.connect()
            let change = #"{"name":"mine","add":[\#(circle("new"))],"remove":["home"]}"#
            #expect(try await other.call(Method.changeRegions, change).error == nil)
            let report = try await client.reports(1)
            #expect(report == ["new inside"] || report == ["new unknown"])
            let listed = try #require(await other.monitors().first)
            #expect(listed.active && listed.regions.map(\.identifier) == ["new"])
            let twice = #"{"name":"mine","add":[\#(circle("new")),\#(circle("new"))]}"#
            #expect(try await other.call(Method.changeRegions, twice).explained.parameter == "add[1].identifier")
        }
    }

    @Test(.enabled(if: OtherUserClients.isPossible, "becoming other users takes root"))
    func usersDoNotSeeEachOthersMonitors() async throws {
        try await TestServer.run {
            // Who may not know has a tenth.
            $0.settings.limits.regionsPerUser = 20
            $0.settings.limits.monitorsPerUser = 1
        } _: { server in
            _ = try await server.monitor(Self.mine)
            let stranger = server.keep(try #require(await OtherUserClients.connect(to: server.locationPath).first))
            #expect(try await stranger.monitors().isEmpty)
            #expect(try await stranger.call(Method.removeMonitor, #"{"name":"mine"}"#).error == Failed.noSuchMonitor)
            let many = ["a", "b", "c"].map { circle($0) }.joined(separator: ",")
            try await stranger.send(Method.monitor, #"{"regions":[\#(many)]}"#, flags: "\"more\":true")
            let refusal = try await stranger.message()
            #expect(refusal.error == Failed.tooManyRegions)
            #expect(try refusal.explained.limit == 2)
            // It may not know, and is told its status; its own monitor of that name is another.
            try await stranger.send(Method.monitor, Self.mine, flags: "\"more\":true")
            #expect(try await stranger.message().update.status?.authorization == .notDetermined)
            let again = server.keep(try #require(await OtherUserClients.connect(to: server.locationPath).first))
            try await again.send(Method.monitor, #"{"name":"second","visits":true}"#, flags: "\"more\":true")
            #expect(try await again.message().explained.limit == 1)
            let listed = try #require(await again.monitors().first)
            #expect(listed.reports.map(\.state) == [.unknown])
            #expect(listed.reports.allSatisfy { $0.location == nil })
        }
    }

    /// The disk has the belief before the client has the event.
    @Test func eventComesOnceItIsKept() async throws {
        let disk = Disk()
        try await TestServer.run {
            // Longer than the test waits: what comes is not what comes when it is over.
            $0.settings.hub.persistenceTimeout = 3600
            $0.hooks.onMonitors = { try await disk.keep($0) }
        } _: { server in
            let client = try await server.monitor(Self.mine)
            await disk.release()
            #expect(try await client.reports(1) == ["home unknown"])
            let plain = try await server.monitor(#"{"regions":[\#(circle())]}"#)
            try server.post(fix: 1, metresNorth: 0)
            #expect(try await plain.reports(2).last == "home inside")
            // What is in its hands by then was sent before the state was kept.
            #expect(try await !client.hasReport(within: 0.3))
            await disk.release()
            #expect(try await client.reports(1) == ["home inside"])
            #expect(await disk.kept?.first?.memory.regions.first?.state == .inside)
            await disk.letAllPass()
        }
    }

    /// Nobody waits for a writing of somebody else's, and the disk writes no more often than it can.
    @Test func changesDuringAWritingShareTheNext() async throws {
        let disk = Disk()
        try await TestServer.run {
            $0.settings.hub.persistenceTimeout = 600
            $0.hooks.onMonitors = { try await disk.keep($0) }
        } _: { server in
            let client = try await server.monitor(Self.mine)
            let others = try (0..<20).map { _ in try server.connect() }
            for (number, other) in others.enumerated() {
                try await other.send(Method.changeRegions, #"{"name":"mine","add":[\#(circle("\(number)"))]}"#)
            }
            try await server.waitUntilRegionsAre(21)
            await disk.release()
            await disk.release()
            for other in others { #expect(try await other.message().error == nil) }
            #expect(await disk.writings == 2)
            #expect(await disk.kept?.first?.memory.regions.count == 21)
            await disk.letAllPass()
            await client.close()
        }
    }

    @Test func diskThatHangsDelaysTheEventAndNoMore() async throws {
        let disk = Disk()
        try await TestServer.run {
            $0.settings.hub.persistenceTimeout = 0.5
            $0.hooks.onMonitors = { try await disk.keep($0) }
        } _: { server in
            let client = try await server.monitor(Self.mine)
            try server.post(fix: 1, metresNorth: 0)
            #expect(try await client.reports(2) == ["home unknown", "home inside"])
            #expect(try await server.connect().call(Method.removeMonitor, #"{"name":"mine"}"#).error == nil)
            await disk.letAllPass()
        }
    }

    @Test func diskThatFailsDelaysNothing() async throws {
        try await TestServer.run {
            // Longer than the test waits: what comes is not what comes when it is over.
            $0.settings.hub.persistenceTimeout = 3600
            $0.hooks.onMonitors = { _ in throw Failure("full") }
        } _: { server in
            let client = try await server.monitor(Self.mine)
            try server.post(fix: 1, metresNorth: 0)
            #expect(try await client.reports(2) == ["home unknown", "home inside"])
            let change = #"{"name":"mine","remove":["home"]}"#
            #expect(try await server.connect().call(Method.changeRegions, change).error == nil)
        }
    }

    @Test func whatADiskHasRefusedIsKeptAtTheEnd() async throws {
        let (room, kept) = (ValueRecorder<Int>(), ValueRecorder<[PersistedMonitor]>())
        try await TestServer.run {
            $0.hooks.onMonitors = {
                guard !room.values.isEmpty else { throw Failure("full") }
                kept.append($0)
            }
        } _: { server in
            let client = try await server.monitor(Self.mine)
            await client.close()
            try await server.waitUntilMonitorsAre(0)
            let change = #"{"name":"mine","add":[\#(circle("new"))]}"#
            #expect(try await server.connect().call(Method.changeRegions, change).error == nil)
            room.append(1)
            try await server.stop()
            #expect(kept.values.last?.first?.memory.regions.map(\.region.identifier) == ["home", "new"])
        }
    }
}

/// A disk that takes what is kept when the test says so.
private actor Disk {
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var isOpen = false
    private var permits = 0
    private(set) var kept: [PersistedMonitor]?
    private(set) var writings = 0

    func keep(_ monitors: [PersistedMonitor]) async throws {
        if permits > 0 {
            permits -= 1
        } else if !isOpen {
            await withCheckedContinuation { waiting.append($0) }
        }
        kept = monitors
        writings += 1
    }

    /// Lets one writing pass, the next if none waits.
    func release() {
        if waiting.isEmpty { permits += 1 } else { waiting.removeFirst().resume() }
    }

    func letAllPass() {
        isOpen = true
        for writing in waiting { writing.resume() }
        waiting = []
    }
}

extension TestServer {
    /// As the administrator is told it.
    func holdings() async throws -> [NamedMonitorReport] {
        try await connect(.control).call(AdminInterface.Method.listMonitors).parameters(as: AllMonitorsReply.self)
            .monitors
    }

    func waitUntilRegionsAre(_ count: Int) async throws {
        try await eventually("there are \(count) regions") {
            try await holdings().reduce(0) { $0 + $1.regions } == count
        }
    }

    func waitUntilMonitorsAre(_ count: Int) async throws {
        let control = try connect(.control)
        try await eventually("there are \(count) monitors") {
            try await control.call(AdminInterface.Method.getStatistics)
                .parameters(as: StatisticsReply.self).statistics.monitors == count
        }
    }
}
