import LocationHub
@_spi(Programs) import LocationModel
import ProgramTestSupport
@_spi(Programs) import RegionMonitoring
import Testing

/// What is kept under a name.
@Suite struct NamedMonitorTests {
    @Test func returnFindsWhatChangedMeanwhile() throws {
        var server = ServerDouble()
        let first = try server.monitor(name: "mine")
        server.stay(metresEast: 0)
        server.end(first)
        _ = server.watch()
        server.pass(100)
        server.clear()
        server.stay(metresEast: 5000)
        #expect(server.listed() == ["mine idle", "home inside somewhere"], "nobody has it, so nothing is evaluated")
        server.pass(100)
        let second = try server.monitor(nil, name: "mine")
        #expect(server.reports(second) == ["home unknown"], "no stale belief is told")
        server.stay(metresEast: 5000)
        #expect(server.reports(second) == ["home unknown", "home outside exited"])
    }

    @Test func idleOneMakesNoDemand() throws {
        var server = ServerDouble { $0.linger = 0 }
        let id = try server.monitor(name: "mine")
        server.end(id)
        #expect(server.demands == [true, false])
        server.pass(10_000)
        #expect(server.demands == [true, false])
    }

    @Test func nameBelongsToOneConnectionAndOneUser() throws {
        var server = ServerDouble()
        let id = try server.monitor(name: "mine")
        #expect(throws: MonitorRefusal.inUse) { try server.monitor(name: "mine") }
        _ = try server.monitor(name: "mine", owner: 1001)
        #expect(throws: MonitorRefusal.noSuchMonitor) { try server.monitor(nil, name: "mine", owner: 1002) }
        server.end(id)
        _ = try server.monitor(nil, name: "mine")
        #expect(server.hub.monitorCount == 2)
    }

    @Test func replacingKeepsWhatIsKnownOfTheSameShape() throws {
        var server = ServerDouble()
        server.end(try server.monitor([.home, .work], name: "mine"))
        let id = try server.monitor(nil, name: "mine")
        server.stay(metresEast: 0)
        server.end(id)
        let moved = Region.circle("work", metresEast: 0)
        let again = try server.monitor([.home, moved], name: "mine")
        server.stay(metresEast: 3000)
        #expect(
            server.reports(again) == ["home inside", "work inside", "home outside exited", "work outside exited"])
    }

    @Test func changedRegionsAreToldOfAtOnce() throws {
        var server = ServerDouble()
        let id = try server.monitor(name: "mine")
        server.stay(metresEast: 0)
        server.clear()
        try server.changeRegions("mine", add: [.work], remove: ["home", "nothing"])
        #expect(server.reports(id) == ["work outside"])
        try server.changeRegions("mine", add: [.circle("work", metresEast: 20)])
        #expect(server.reports(id).dropFirst() == ["work inside"], "another shape is another region")
        #expect(server.listed() == ["mine active", "work inside somewhere"])
        server.end(id)
        try server.changeRegions("mine", add: [.home])
        #expect(server.listed() == ["mine idle", "work inside somewhere", "home unknown nowhere"])
        #expect(throws: MonitorRefusal.noSuchMonitor) { try server.changeRegions("other", add: [.home]) }
    }

    @Test func removedOneEndsItsConnection() throws {
        var server = ServerDouble()
        let id = try server.monitor(name: "mine")
        try server.remove("mine")
        #expect(server.ended == [id: "mine"])
        #expect(server.listed().isEmpty && server.kept.isEmpty && server.hub.monitorCount == 0)
        #expect(throws: MonitorRefusal.noSuchMonitor) { try server.remove("mine") }
        #expect(throws: MonitorRefusal.noSuchMonitor) { try server.monitor(nil, name: "mine") }
    }

    @Test func eventIsToldOnlyOnceItIsKept() throws {
        var server = ServerDouble()
        let id = try server.monitor(name: "mine")
        server.stay(metresEast: 1000)
        server.keepsMonitors = false
        server.clear()
        server.fix()
        #expect(server.reports(id).isEmpty)
        let (monitors, revision) = server.hub.monitorsToPersist()
        #expect(monitors.first?.memory.regions.first?.state == .inside)
        server.perform(server.hub.monitorsPersisted(revision - 1))
        #expect(server.reports(id).isEmpty, "an older version does not have it")
        server.perform(server.hub.monitorsPersisted(revision))
        #expect(server.reports(id) == ["home inside entered"])
    }

    /// A kill before the next writing ends would else lose an event that a restart takes for told.
    @Test func eventIsToldAsSoonAsItIsKeptWhateverFollowsIt() throws {
        var server = ServerDouble()
        let id = try server.monitor(name: "mine")
        server.stay(metresEast: 1000)
        server.keepsMonitors = false
        server.clear()
        server.fix()
        let (_, first) = server.hub.monitorsToPersist()
        server.fix(metresEast: 1000)
        let (_, second) = server.hub.monitorsToPersist()
        server.perform(server.hub.monitorsPersisted(first))
        #expect(server.reports(id) == ["home inside entered"])
        server.perform(server.hub.monitorsPersisted(second))
        #expect(server.reports(id) == ["home inside entered", "home outside exited"])
    }

    /// A writing that began before knows nothing of it.
    @Test func regionIsToldOnlyOnceItIsKept() throws {
        var server = ServerDouble()
        server.keepsMonitors = false
        let first = try server.monitor(name: "first")
        let (_, before) = server.hub.monitorsToPersist()
        let second = try server.monitor(name: "second")
        server.perform(server.hub.monitorsPersisted(before))
        #expect(server.reports(first) == ["home unknown"] && server.reports(second).isEmpty)
        let (_, both) = server.hub.monitorsToPersist()
        try server.changeRegions("first", add: [.work])
        server.perform(server.hub.monitorsPersisted(both))
        #expect(server.reports(first) == ["home unknown"] && server.reports(second) == ["home unknown"])
        let (_, all) = server.hub.monitorsToPersist()
        server.perform(server.hub.monitorsPersisted(all))
        #expect(server.reports(first) == ["home unknown", "work unknown"])
    }

    @Test func nobodyWaitsForADiskForEver() throws {
        var server = ServerDouble()
        let kept = try server.monitor(name: "mine")
        let other = try server.monitor()
        server.stay(metresEast: 1000)
        server.keepsMonitors = false
        server.clear()
        server.fix()
        #expect(server.reports(other) == ["home inside entered"])
        server.pass(1.9)
        #expect(server.reports(kept).isEmpty)
        server.pass(0.2)
        #expect(server.reports(kept) == ["home inside entered"])
        #expect(server.overdueKeepings == 1)
    }

    @Test func statesThatWaitForTheDiskAreNotHeldAgainstTheClient() throws {
        var server = ServerDouble()
        let id = try server.monitor(name: "mine")
        server.keepsMonitors = false
        server.clear()
        server.stay(metresEast: 0, fixes: 1)
        for _ in 0..<20 {
            server.setEnabled(false)
            server.setEnabled(true)
        }
        #expect(server.disconnected.isEmpty)
        server.pass(3)
        #expect(server.statuses(id).count >= 40)
    }

    @Test func revocationEmptiesWhatWaitsForTheDisk() throws {
        var server = ServerDouble()
        let id = try server.monitor(name: "mine")
        server.keepsMonitors = false
        server.clear()
        server.stay(metresEast: 0, fixes: 1)
        server.permit(.denied, id)
        server.pass(10)
        #expect(server.reports(id).isEmpty)
        #expect(server.statuses(id).last?.authorization == .denied)
    }

    @Test func limitsHoldPerUserAndForAll() throws {
        var server = ServerDouble {
            $0.limits.regionsPerUser = 5
            $0.limits.monitorsPerUser = 2
            $0.limits.regions = 12
        }
        let regions = (0..<5).map { Region.circle("\($0)", metresEast: Double($0)) }
        let first = try server.monitor(Array(regions.prefix(3)), name: "a")
        _ = try server.monitor(Array(regions.prefix(2)))
        #expect(throws: MonitorRefusal.tooMany(.regionsPerUser, limit: 5)) { try server.monitor() }
        server.end(first)
        #expect(throws: MonitorRefusal.tooMany(.regionsPerUser, limit: 5)) {
            try server.changeRegions("a", add: regions)
        }
        try server.changeRegions("a", remove: ["0", "1", "2"])
        _ = try server.monitor([], name: "b")
        #expect(throws: MonitorRefusal.tooMany(.monitorsPerUser, limit: 2)) { try server.monitor([], name: "c") }
        _ = try server.monitor(nil, name: "a")
        #expect(throws: MonitorRefusal.tooMany(.regions, limit: 12)) {
            try server.monitor(regions + regions, owner: 0, isExempt: true)
        }
        _ = try server.monitor(regions, owner: 0, isExempt: true)
        #expect(throws: MonitorRefusal.tooMany(.regions, limit: 11)) { try server.monitor(regions, owner: 1001) }
        // A tenth is left to those who are spared: 2 of the first user, his 2 names and 5 more stand so far.
        _ = try server.monitor(Array(regions.prefix(2)), owner: 1001)
        #expect(throws: MonitorRefusal.tooMany(.regions, limit: 11)) { try server.monitor(owner: 1001) }
        _ = try server.monitor(owner: 0, isExempt: true)
    }

    /// Users who could know once have filled all there is.
    @Test func whoMayNotKnowAnyMoreMakesRoom() throws {
        var server = ServerDouble {
            $0.limits.regionsPerUser = 50
            $0.limits.regions = 100
        }
        let regions = (0..<40).map { Region.circle("\($0)", metresEast: Double($0)) }
        server.end(try server.monitor(regions, name: "large", owner: 1001))
        let running = try server.monitor(Array(regions.prefix(30)), name: "running", owner: 1002)
        server.end(try server.monitor(Array(regions.prefix(5)), name: "small", owner: 1001))
        server.end(try server.monitor(Array(regions.prefix(9)), name: "right", owner: 1003))
        let more = Array(regions.prefix(6))
        #expect(throws: MonitorRefusal.tooMany(.regions, limit: 90)) { try server.monitor(more, owner: 1004) }
        server.perform(server.hub.reviewPersistedMonitors { $0 == 1001 ? false : nil })
        _ = try server.monitor(more, owner: 1004)
        #expect(server.displaced == ["large"], "one is enough")
        #expect(server.hub.namedMonitorSummaries.map(\.key.name) == ["small", "running", "right"])
        // The same of what a connection has, whose client is told.
        server.permit(Permission(.denied), running)
        _ = try server.monitor(Array(regions.prefix(40)), owner: 1005)
        #expect(server.displaced == ["large", "running"])
        #expect(server.ended[running] == "running")
        // What is left of them is within their tenth, and stays.
        #expect(throws: MonitorRefusal.tooMany(.regions, limit: 90)) {
            try server.monitor(Array(regions.prefix(36)), owner: 1006)
        }
        #expect(server.hub.namedMonitorSummaries.map(\.key.name) == ["small", "right"])
        // A user who is authorized again is as safe as others.
        server.perform(server.hub.reviewPersistedMonitors { $0 == 1001 ? true : nil })
        #expect(server.hub.namedMonitorSummaries.allSatisfy { $0.isAuthorized })
    }

    @Test func strangersShareATenth() throws {
        var server = ServerDouble {
            $0.limits.regionsPerUser = 40
            $0.limits.regions = 100
        }
        let regions = (0..<5).map { Region.circle("\($0)", metresEast: Double($0)) }
        let undecided = Permission(.notDetermined)
        #expect(throws: MonitorRefusal.tooMany(.regionsPerUser, limit: 4)) {
            try server.monitor(regions, name: "a", undecided)
        }
        let first = try server.monitor(Array(regions.prefix(4)), name: "a", undecided)
        server.end(try server.monitor(Array(regions.prefix(4)), name: "a", owner: 1001, undecided))
        // Eight regions and two names are a tenth, whether they run or not.
        #expect(throws: MonitorRefusal.tooMany(.regions, limit: 10)) {
            try server.monitor(Array(regions.prefix(1)), owner: 1002, undecided)
        }
        _ = try server.monitor(regions, name: "a", owner: 1002)
        #expect(server.hub.namedMonitorSummaries.map(\.isAuthorized) == [false, false, true])
        // What is authorized gives its part back.
        server.permit(Permission(.authorizedAlways), first)
        #expect(server.hub.namedMonitorSummaries.map(\.isAuthorized) == [true, false, true])
        _ = try server.monitor(Array(regions.prefix(4)), owner: 1003, Permission(.denied))
        #expect(throws: MonitorRefusal.tooMany(.regionsPerUser, limit: 4)) {
            try server.changeRegions("a", add: regions, .denied)
        }
    }

    @Test func changeOfWhatNobodyHasKeepsWhatIsKnown() throws {
        var server = ServerDouble()
        let id = try server.monitor([.home, .work], name: "mine")
        server.stay(metresEast: 0)
        server.end(id)
        let before = server.listed()
        try server.changeRegions("mine", add: [.circle("home", metresEast: 0, dwell: 60)])
        #expect(Set(server.listed()) == Set(before), "the same shape is the same region")
        try server.changeRegions("mine", add: [.circle("home", metresEast: 1)])
        #expect(server.listed().contains("home unknown nowhere"))
    }

    @Test func polygonCountsByItsCorners() throws {
        let corners = (0..<100).compactMap { Coordinate(latitude: sin60($0), longitude: Double($0) / 10) }
        let region = try Region(identifier: "p", shape: .polygon(RegionPolygon(corners: corners)))
        #expect(region.weight == 4)
        #expect(Region.home.weight == 1)
    }

    private func sin60(_ index: Int) -> Double { index < 50 ? 1 : -1 }
}
