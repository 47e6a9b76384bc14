import LocationHub
@_spi(Programs) import LocationModel
import ProgramTestSupport
@_spi(Programs) import RegionMonitoring
import Testing

/// Monitors tell no more than their principals may know.
@Suite struct MonitorPermissionTests {
    @Test func deniedMonitorIsSilentAndListedWithoutStates() throws {
        var server = ServerDouble { $0.linger = 0 }
        let id = try server.monitor(name: "mine")
        server.stay(metresEast: 0)
        server.permit(.denied, id)
        #expect(!server.isDemanded)
        server.clear()
        _ = server.watch()
        server.stay(metresEast: 5000)
        #expect(server.updates(id).allSatisfy { $0.status != nil })
        #expect(server.listed(.denied) == ["mine active", "home unknown nowhere"])
        server.pass(100)
        server.clear()
        server.permit(.granted, id)
        #expect(server.reports(id) == ["home unknown"])
        server.stay(metresEast: 5000)
        #expect(server.reports(id).last == "home outside exited", "decided anew, and told against what was known")
    }

    @Test func switchedOffServiceListsNoStates() throws {
        var server = ServerDouble()
        let id = try server.monitor(name: "mine")
        server.stay(metresEast: 0)
        server.end(id)
        #expect(server.listed() == ["mine idle", "home inside somewhere"])
        server.setEnabled(false)
        #expect(server.listed() == ["mine idle", "home unknown nowhere"])
        server.setEnabled(true)
        #expect(server.listed() == ["mine idle", "home inside somewhere"])
    }

    @Test func deniedFromTheBeginningItIsToldItsStatusAndNothingElse() throws {
        var server = ServerDouble()
        _ = server.watch()
        server.stay(metresEast: 0)
        let id = try server.monitor([.home], .denied)
        server.stay(metresEast: 5000)
        #expect(server.statuses(id).first?.authorization == .denied)
        #expect(server.updates(id).allSatisfy { !$0.containsPosition })
    }

    @Test func reducedMonitorIsFedTheReducedFix() throws {
        var server = try ServerDouble.reducing()
        let regions = [
            Region.home, .circle("country", metresEast: 0, radius: 100_000), .circle("sea", metresEast: 400_000),
        ]
        let id = try server.monitor(regions, .roughly)
        let watch = server.watch(.roughly)
        for _ in 0..<4 {
            server.stay(metresEast: 0)
            server.pass(600)
        }
        let seen = Set(server.locations(watch).map(\.coordinate))
        let told = server.updates(id).compactMap(\.region?.location)
        #expect(
            !told.isEmpty && told.allSatisfy { seen.contains($0.coordinate) && ($0.horizontalAccuracy ?? 0) > 1000 })
        #expect(
            Set(server.reports(id)) == [
                "home unknown", "country unknown", "sea unknown", "country inside", "sea outside",
            ])
    }

    @Test func whatFullAccuracyDecidedIsNotToldUnderReduced() throws {
        var server = try ServerDouble.reducing()
        let id = try server.monitor(name: "mine")
        server.stay(metresEast: 0)
        server.pass(700)
        server.clear()
        server.permit(.roughly, id)
        #expect(server.reports(id) == ["home unknown"])
        #expect(server.listed(.roughly) == ["mine active", "home unknown nowhere"])
        server.end(id)
        #expect(server.listed(.roughly) == ["mine idle", "home unknown nowhere"])
        let again = try server.monitor(nil, name: "mine")
        server.stay(metresEast: 0)
        #expect(server.reports(again).last == "home inside", "and what was decided before is forgotten")
    }

    @Test func pacedPrincipalsMonitorSeesWhatItsWatchesSee() throws {
        var server = ServerDouble()
        var permission = Permission.granted
        permission.pace = Pace(principal: "uid:1000", interval: 300)
        let watch = server.watch(permission)
        let id = try server.monitor([.home], permission)
        for minute in 0..<30 { server.stay(metresEast: minute % 2 == 0 ? 0 : 5000, fixes: 60) }
        let seen = Set(server.sequences(watch))
        let told = server.updates(id).compactMap(\.region?.location?.sequence)
        #expect(seen.count == 6 && !told.isEmpty && seen.isSuperset(of: told))
    }
}

extension Permission {
    static let roughly = Permission(.authorizedAlways, accuracy: .reduced)
}

extension ServerDouble {
    /// One that can reduce accuracy.
    static func reducing(settings: (inout HubSettings) -> Void = { _ in }) throws -> Self {
        var generator = SeededGenerator(seed: 1)
        let now = BootInstant(seconds: 1000)
        return Self(
            reduction: ReducedAccuracy(grid: AccuracyGrid(), displacement: .random(using: &generator)), at: now,
            settings: settings)
    }
}
