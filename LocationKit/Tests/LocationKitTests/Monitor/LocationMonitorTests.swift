import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import Synchronization
import TestSupport
import Testing

@_spi(Programs) @testable import LocationKit

/// Monitors and a daemon over real connections.
@Suite(.timeLimit(.minutes(10))) struct LocationMonitorTests {
    private static func region(_ identifier: String) throws -> Region { try MonitorScript.region(identifier) }

    private static func monitor(
        _ daemon: MonitorDaemon, _ thread: String, name: String? = nil, _ regions: [Region] = []
    ) -> LocationMonitor {
        LocationMonitor(
            name: name, subjects: MonitorSubjects(regions: regions), configuration: LocationConfiguration(),
            transport: DaemonMonitorTransport(path: daemon.live.path, thread: ClientThread(named: thread)))
    }

    @Test func regionsAreDeliveredAndNothingIsLeftBehind() async throws {
        let daemon = try MonitorDaemon()
        let reports = ValueRecorder<RegionReport>()
        do {
            let monitor = Self.monitor(daemon, "mon-usual", [try Self.region("a")])
            monitor.addObserver(Observer<RegionReport> { reports.append($0) })
            monitor.start()
            try await eventually("the first state") { reports.count == 1 }
            daemon.send("a", .inside)
            daemon.send("b", .inside)
            daemon.send("a", .outside, .exited)
            try await eventually("the exit") { reports.count == 3 }
            #expect(monitor.report(of: "a")?.state == .outside)
            #expect(monitor.status?.authorization == .authorizedAlways)
        }
        #expect(reports.values.map(\.identifier) == ["a", "a", "a"])
        #expect(reports.values.map(\.event) == [nil, nil, .exited])
        try await eventually("no thread is left") { ThreadCount.named("mon-usual") == 0 && daemon.live.open == 0 }
        #expect(daemon.live.accepted == 1)
    }

    @Test func aRestartedDaemonDeliversOnlyNewStates() async throws {
        let daemon = try MonitorDaemon()
        let reports = ValueRecorder<RegionReport>()
        let errors = ValueRecorder<LocationError>()
        let monitor = Self.monitor(daemon, "mon-back", [try Self.region("a"), try Self.region("b")])
        monitor.addObserver(Observer<RegionReport> { reports.append($0) })
        monitor.addObserver(Observer<LocationError> { errors.append($0) })
        monitor.start()
        try await eventually("the first states") { reports.count == 2 }
        daemon.send("a", .inside)
        daemon.send("b", .outside)
        try await eventually("both are decided") { reports.count == 4 }
        daemon.live.stop()
        try await eventually("the loss") { !errors.values.isEmpty }
        #expect(monitor.isMonitoring)
        #expect(monitor.report(of: "a")?.state == .inside)
        try daemon.live.listen()
        try await eventually("the second connection") { daemon.calls(of: "Monitor") == 2 && monitor.status != nil }
        daemon.send("a", .inside)
        daemon.send("b", .inside)
        try await eventually("what was missed") { reports.count == 5 }
        #expect(reports.values.last == RegionReport(identifier: "b", state: .inside, event: .entered))
        #expect(errors.values.first == .disconnected)
        monitor.stop()
        try await eventually("no thread is left") { ThreadCount.named("mon-back") == 0 }
    }

    @Test func aNamedMonitorLoadsItsPersistedStateAndChangesIt() async throws {
        let daemon = try MonitorDaemon()
        daemon.persist([try Self.region("a"), try Self.region("b")], under: "walk")
        let reports = ValueRecorder<RegionReport>()
        let monitor = Self.monitor(daemon, "mon-persisted", name: "walk")
        monitor.remove(identifier: "a")
        monitor.add(try Self.region("c"))
        monitor.addObserver(Observer<RegionReport> { reports.append($0) })
        monitor.start()
        try await eventually("the change") { daemon.persisted("walk") == ["b", "c"] }
        #expect(monitor.regions.map(\.identifier) == ["b", "c"])
        daemon.send("b", .inside)
        daemon.send("c", .outside)
        try await eventually("both states") { reports.values.filter { $0.state != .unknown }.count == 2 }
        #expect(!reports.values.contains { $0.identifier == "a" })
        #expect(daemon.live.calls.count { $0.contains(#""regions""#) } == 0, "what is kept was replaced")
        monitor.stop()
        try await eventually("no thread is left") { ThreadCount.named("mon-persisted") == 0 }
        #expect(daemon.persisted("walk") == ["b", "c"])
    }

    @Test func thePersistedStateIsLoadedBeforeMonitoringStarts() async throws {
        let daemon = try MonitorDaemon()
        daemon.persist([try Self.region("a")], under: "walk")
        let monitor = Self.monitor(daemon, "mon-known", name: "walk")
        let regions = DaemonTransport.$briefTimeout.withValue(20) { monitor.regions }
        #expect(regions == [try Self.region("a")])
        #expect(!monitor.isMonitoring)
        #expect(daemon.calls(of: "Monitor") == 0)
        let client = LocationClient(socketPath: daemon.live.path)
        #expect(try await client.monitors().map(\.name) == ["walk"])
    }

    @Test func withoutPersistedStateThereIsNoConnection() async throws {
        let daemon = try MonitorDaemon()
        let monitor = Self.monitor(daemon, "mon-none", name: "walk")
        monitor.start()
        try await eventually("the question") { daemon.calls(of: "ListMonitors") == 1 && daemon.live.open == 0 }
        try await eventually("no thread is left") { ThreadCount.named("mon-none") == 0 }
        #expect(daemon.persisted("walk") == nil)
        monitor.add(try Self.region("a"))
        try await eventually("it is kept") { daemon.persisted("walk") == ["a"] }
    }

    @Test func stoppingAndStartingDeliversEverythingAgain() async throws {
        let daemon = try MonitorDaemon()
        let reports = ValueRecorder<RegionReport>()
        let monitor = Self.monitor(daemon, "mon-again", name: "walk", [try Self.region("a")])
        monitor.addObserver(Observer<RegionReport> { reports.append($0) })
        monitor.start()
        try await eventually("the first state") { reports.count == 1 }
        monitor.stop()
        monitor.start()
        try await eventually("the state again") { reports.count == 2 }
        #expect(Set(reports.values) == [RegionReport(identifier: "a", state: .unknown)])
        #expect(daemon.persisted("walk") == ["a"])
    }

    @Test func aRemovedMonitorStopsUntilItIsUsedAgain() async throws {
        let daemon = try MonitorDaemon()
        let errors = ValueRecorder<LocationError>()
        let monitor = Self.monitor(daemon, "mon-removed", name: "walk", [try Self.region("a")])
        monitor.addObserver(Observer<LocationError> { errors.append($0) })
        monitor.start()
        try await eventually("it is kept") { monitor.report(of: "a") != nil }
        daemon.live.send(#"{"error":"org.locationd.location.NoSuchMonitor","parameters":{"name":"walk"}}"#)
        try await eventually("the removal") { !errors.values.isEmpty }
        #expect(errors.values == [.noSuchMonitor(name: "walk")])
        #expect(!monitor.isMonitoring && monitor.regions.isEmpty)
        try await eventually("no thread is left") { ThreadCount.named("mon-removed") == 0 }
        monitor.add(try Self.region("b"))
        monitor.start()
        try await eventually("it is kept again") { daemon.persisted("walk") == ["b"] }
    }

    @Test(arguments: ["[]", "\u{7f}", #"{"continues":true,"parameters":{"region":{"identifier":7}}}"#])
    func garbageIsReportedAndRetried(_ words: String) async throws {
        let daemon = try LiveDaemon { _, _ in [words] }
        let errors = ValueRecorder<LocationError>()
        let transport = DaemonMonitorTransport(path: daemon.path, thread: ClientThread(named: "mon-garbage"))
        let monitor = LocationMonitor(
            name: nil, subjects: try MonitorScript.subjects("a"), configuration: LocationConfiguration(),
            transport: transport)
        monitor.addObserver(Observer<LocationError> { errors.append($0) })
        monitor.start()
        try await eventually("two tries") { errors.count >= 2 }
        for error in errors.values {
            guard case .protocolViolation = error else {
                Issue.record("\(error)")
                continue
            }
        }
        monitor.stop()
        try await eventually("no connection is left") { daemon.open == 0 }
    }

    @Test func aRefusalIsReportedAndRetried() async throws {
        let daemon = try MonitorDaemon()
        daemon.refuse(#"{"error":"org.locationd.location.TooManyRegions","parameters":{"limit":3}}"#)
        let errors = ValueRecorder<LocationError>()
        let monitor = Self.monitor(daemon, "mon-refused", [try Self.region("a")])
        monitor.addObserver(Observer<LocationError> { errors.append($0) })
        monitor.start()
        try await eventually("the refusal") { !errors.values.isEmpty }
        #expect(errors.values.first == .tooManyRegions(limit: 3))
        daemon.refuse(nil)
        try await eventually("it is delivered") { monitor.report(of: "a") != nil }
    }

    @Test func aSlowLoopReceivesAThousandRegions() async throws {
        let daemon = try MonitorDaemon()
        let regions = try (0..<1000).map { try Self.region("\($0)") }
        let monitor = Self.monitor(daemon, "mon-many", name: "walk", regions)
        var reports = monitor.regionReports.makeAsyncIterator()
        try await eventually("all are persisted") { daemon.persisted("walk")?.count == 1000 }
        for region in regions { daemon.send(region.identifier, .inside) }
        var inside: Set<String> = []
        while inside.count < 1000, let report = await reports.next() {
            if report.state == .inside { inside.insert(report.identifier) }
        }
        #expect(inside.count == 1000)
    }

    @Test func aHundredMonitorsShareTheThread() async throws {
        let daemon = try MonitorDaemon()
        let thread = ClientThread(named: "mon-crowd")
        let monitors = try (0..<100).map { number in
            LocationMonitor(
                name: "\(number)", subjects: try MonitorScript.subjects("a"), configuration: LocationConfiguration(),
                transport: DaemonMonitorTransport(path: daemon.live.path, thread: thread))
        }
        for monitor in monitors { monitor.start() }
        try await eventually("all are delivered") { monitors.allSatisfy { $0.report(of: "a") != nil } }
        try await eventually("one thread") { ThreadCount.named("mon-crowd") == 1 }
        for monitor in monitors { monitor.stop() }
        try await eventually("no thread is left") { ThreadCount.named("mon-crowd") == 0 && daemon.live.open == 0 }
    }

    @Test func aMonitorMayGoWithinItsOwnHandler() async throws {
        let daemon = try MonitorDaemon()
        let holder = Holder<LocationMonitor>()
        let reports = ValueRecorder<RegionReport>()
        weak var gone: LocationMonitor?
        do {
            let monitor = Self.monitor(daemon, "mon-gone", [try Self.region("a"), try Self.region("b")])
            gone = monitor
            monitor.addObserver(
                Observer<RegionReport> { report in
                    reports.append(report)
                    if report.state == .inside { holder.value = nil }
                })
            monitor.start()
            try await eventually("the first states") { reports.count == 2 }
            holder.value = monitor
        }
        daemon.send("a", .inside)
        daemon.send("b", .inside)
        try await eventually("it goes") { ThreadCount.named("mon-gone") == 0 && daemon.live.open == 0 }
        #expect(gone == nil)
        #expect(reports.count == 3, "it was delivered after its end")
    }

    /// Many threads that add, remove, start and stop at random, while the daemon fails now and then, and reads the
    /// connections in any order.
    @Test(.serialized, arguments: 1...16 as ClosedRange<UInt64>)
    func theLastInterestIsAppliedWhateverComesBetween(_ seed: UInt64) async throws {
        let daemon = try MonitorDaemon(slowness: 3000)
        let thread = "mon-stress-\(seed)"
        let monitor = Self.monitor(daemon, thread, name: "walk")
        let regions = try (0..<8).map { try Self.region("\($0)") }
        await withTaskGroup(of: Void.self) { group in
            for part in 0..<4 {
                group.addTask {
                    var random = SeededGenerator(seed: seed * 10 + UInt64(part))
                    for _ in 0..<300 {
                        // So that the client's thread runs between them.
                        usleep(100)
                        let region = regions[Int.random(in: 0..<8, using: &random)]
                        switch Int.random(in: 0..<10, using: &random) {
                        case 0: monitor.stop()
                        case 1, 2: monitor.start()
                        case 3: monitor.monitorsVisits.toggle()
                        case 4...6: monitor.remove(identifier: region.identifier)
                        // A call that is under way then gets no answer, and two seconds pass: only for a few seeds.
                        case 7 where seed % 8 == 0: daemon.live.send("[]")
                        case 7: daemon.live.sendToIdle("[]")
                        default: monitor.add(region)
                        }
                    }
                }
            }
        }
        for region in regions.dropFirst(2) { monitor.remove(identifier: region.identifier) }
        for region in regions.prefix(2) { monitor.add(region) }
        monitor.start()
        try await eventually("the last interest holds") { Set(daemon.persisted("walk") ?? []) == ["0", "1"] }
        monitor.stop()
        try await eventually("no thread is left") { ThreadCount.named(thread) == 0 && daemon.live.open == 0 }
    }
}

/// Holds a value that others may remove.
private final class Holder<Value: Sendable>: Sendable {
    private let held = Mutex<Value?>(nil)

    var value: Value? {
        get { held.withLock { $0 } }
        set {
            let former = held.withLock { held in
                defer { held = newValue }
                return held
            }
            withExtendedLifetime(former) {}
        }
    }
}
