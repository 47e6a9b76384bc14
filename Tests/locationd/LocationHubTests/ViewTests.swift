import LocationHub
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

/// What clients with reduced accuracy or a pace see of fixes.
@Suite struct ViewTests {
    private static let reduced = Permission(.authorizedAlways, accuracy: .reduced)

    private static func paced(_ interval: Double, _ principal: String = "uid:1000") -> Permission {
        var permission = Permission(.authorizedAlways)
        permission.pace = Pace(principal: principal, interval: interval)
        return permission
    }

    private func server() -> ServerDouble {
        var generator = SeededGenerator(seed: 7)
        let now = BootInstant(seconds: 1000)
        return ServerDouble(
            reduction: ReducedAccuracy(grid: AccuracyGrid(), displacement: .random(using: &generator)), at: now)
    }

    @Test func reducedWatchSeesOneRoughFixInTenMinutes() throws {
        var server = server()
        let full = server.watch()
        let rough = server.watch(Self.reduced)
        server.fixes(601)
        #expect(server.locations(full).count == 601)
        let seen = server.locations(rough)
        #expect(seen.map(\.sequence) == [1, 601])
        for location in seen {
            #expect(location.horizontalAccuracy ?? 0 >= 2000)
            #expect(location.coordinate.distance(to: .start) <= location.horizontalAccuracy ?? 0)
            #expect(location.altitude == nil && location.speed == nil && location.course == nil)
        }
        #expect(seen.first?.coordinate == seen.last?.coordinate)
    }

    @Test func whoeverAsksRoughlySeesTheSameFix() throws {
        var server = server()
        let first = server.watch(Self.reduced)
        server.fix()
        let shared = try #require(server.locations(first).first)
        for number in 1...64 {
            server.pass(5)
            server.fix(metresEast: Double(number))
            let watch = server.watch(Self.reduced)
            server.request(number, Self.reduced) { $0.maximumAge = Double(number % 2) }
            #expect(server.locations(watch) == [shared])
            #expect(server.answer(number) == .location(shared))
            server.end(watch)
        }
    }

    /// A program that has waited for its decision, in company or not, is sent what all others are, and no more.
    @Test(arguments: [nil as Double?, 900])
    func grantedRoughlySeesTheSharedFixAtOnce(interval: Double?) throws {
        var server = server()
        let first = server.watch(Self.reduced)
        server.fix()
        let shared = try #require(server.locations(first).first)
        let waiting = server.watch(Permission(.notDetermined)) { $0.interval = interval }
        for number in 1...5 {
            server.pass(60)
            server.fix(metresEast: 10 * Double(number))
            server.permit(Self.reduced, waiting)
            #expect(server.updates(waiting).suffix(2).map { $0.status != nil } == [true, false], "the status is first")
            server.permit(Permission(.authorizedWhenInUse, accuracy: .reduced), waiting)
            #expect(server.locations(waiting) == Array(repeating: shared, count: number), "one for each grant")
            if number < 5 { server.permit(.denied, waiting) }
        }
        #expect(server.locations(first) == [shared])
        server.pass(300)
        server.fix()
        #expect(server.locations(first).count == 2)
        #expect(server.locations(waiting).count == (interval == nil ? 6 : 5))
    }

    @Test func grantedAtAPaceSeesItsPrincipalsLocationAtOnce() {
        var server = server()
        let first = server.watch(Self.paced(60))
        let waiting = server.watch(.denied)
        server.fix()
        server.pass(30)
        server.fix()
        server.permit(Self.paced(60), waiting)
        #expect(server.sequences(first) == [1] && server.sequences(waiting) == [1])
    }

    @Test func grantedRoughlySeesNothingOld() {
        var server = server()
        let first = server.watch(Self.reduced)
        server.fix()
        let waiting = server.watch(.denied)
        let other = server.watch(.denied) { $0.location = false }
        server.pass(600)
        server.permit(Self.reduced, waiting)
        #expect(server.locations(waiting).isEmpty)
        server.fix()
        server.permit(Self.reduced, other)
        #expect(server.sequences(first) == [1, 2] && server.sequences(waiting) == [2])
        #expect(server.locations(other).isEmpty)
    }

    @Test func roughViewHasNeitherSkyNorHeadingAndSaysNothingOfThem() {
        var server = server()
        let id = server.watch(Self.reduced) {
            $0.heading = true
            $0.satellites = true
        }
        server.fix()
        server.tell(.satellites([Satellite(gnss: "GPS", id: 1, used: true)], device: "/dev/gps0", at: server.now))
        server.tell(.heading(Heading(), device: "/dev/gps0", at: server.now))
        #expect(server.updates(id).allSatisfy { $0.heading == nil && $0.satellites == nil })
        let status = server.hub.status(for: Self.reduced, at: server.now)
        #expect(status.satellitesVisible == nil && status.satellitesUsed == nil && status.headingAvailable == nil)
        #expect(status.accuracy == .reduced)
    }

    @Test func watchThatWantsReducedAccuracyReceivesNoMore() throws {
        var server = server()
        let reduced = server.watch(Self.reduced)
        let limited = server.watch {
            ($0.reducedAccuracy, $0.heading, $0.satellites, $0.everySource) = (true, true, true, true)
        }
        server.fixes(601)
        server.tell(.satellites([Satellite(gnss: "GPS", id: 1, used: true)], device: "/dev/gps0", at: server.now))
        server.tell(.heading(Heading(), device: "/dev/gps0", at: server.now))
        let updates = server.updates(limited)
        let seen = updates.compactMap(\.location)
        #expect(seen.map(\.sequence) == server.sequences(reduced) && seen.count == 2)
        #expect(seen.allSatisfy { $0.coordinate == AccuracyGrid().snap(.start) && $0.speed == nil })
        #expect(updates.allSatisfy { $0.heading == nil && $0.satellites == nil })
        let statuses = updates.compactMap(\.status)
        #expect(!statuses.isEmpty && statuses.allSatisfy { $0.accuracy == .reduced && $0.satellitesVisible == nil })
        // It stays so through other decisions.
        server.permit(.denied, limited)
        server.permit(.granted, limited)
        server.fixes(700)
        #expect(Set(server.sequences(limited)) == Set(server.sequences(reduced)))
        #expect(server.updates(limited).compactMap(\.status).allSatisfy { $0.accuracy == .reduced })
    }

    @Test func statusOfWhoMayNotKnowTellsNothingOfFixes() {
        var server = server()
        _ = server.watch()
        server.fix()
        server.tell(.satellites([Satellite(gnss: "GPS", id: 1, used: true)], device: "/dev/gps0", at: server.now))
        var denied = Permission.denied
        denied.reason = "ask uid 0"
        let status = server.hub.status(for: denied, at: server.now)
        #expect(status.fixAge == nil && status.satellitesVisible == nil && status.satellitesUsed == nil)
        #expect(status.reason == "ask uid 0")
        #expect(server.hub.status(for: .granted, at: server.now).satellitesVisible == 1)
    }

    @Test func filtersMeasureTheRoughFix() {
        var server = server()
        let id = server.watch(Self.reduced) { $0.distanceFilter = 100 }
        let accurate = server.watch(Self.reduced) { $0.requiredAccuracy = 100 }
        for second in 0..<2400 {
            server.fix(metresEast: Double(second) / 6)
            server.pass(1)
        }
        #expect(server.locations(id).count == 1, "the rough position stayed")
        #expect(server.locations(accurate).isEmpty)
    }

    @Test func withoutReductionThoseWhoMayKnowRoughlyGetNothing() {
        var server = ServerDouble()
        let id = server.watch(Self.reduced)
        server.fixes(3)
        #expect(server.locations(id).isEmpty)
    }

    @Test func newPlaceIsToldToBeKeptBeforeItIsSent() {
        var server = server()
        _ = server.watch(Self.reduced)
        server.fix()
        #expect(server.keptReductions == 1)
        server.pass(600)
        server.fix(metresEast: 50_000)
        #expect(server.keptReductions == 2)
    }

    @Test func anothersPaceIsSharedByAllItsConnections() {
        var server = server()
        let first = server.watch(Self.paced(60))
        server.fix()
        #expect(server.sequences(first) == [1])
        // Neither another watch nor asking gets more.
        for number in 1...29 {
            server.pass(2)
            server.fix()
            let other = server.watch(Self.paced(60))
            server.request(number, Self.paced(60))
            #expect(server.sequences(other) == [1])
            guard case .location(let location) = server.answer(number) else {
                Issue.record("no answer")
                return
            }
            #expect(location.sequence == 1)
            server.end(other)
        }
        server.pass(2)
        server.fix()
        #expect(server.sequences(first) == [1, 31])
        // Another principal's pace is its own.
        let stranger = server.watch(Self.paced(60, "uid:1001"))
        #expect(server.sequences(stranger) == [31])
    }

    @Test func slowPaceOfRoughFixesIsSlowerThanTheirs() {
        var server = server()
        var permission = Self.reduced
        permission.pace = Pace(principal: "uid:1000", interval: 1800)
        let id = server.watch(permission)
        server.fixes(37, every: 100)
        #expect(server.sequences(id) == [1, 19, 37])
    }

    @Test func quickPaceOfRoughFixesIsTheirs() {
        var server = server()
        var permission = Self.reduced
        permission.pace = Pace(principal: "uid:1000", interval: 60)
        _ = server.watch()
        server.request(1, permission)
        server.fixes(301)
        server.request(2, permission)
        #expect(server.answer(1) != nil)
        #expect(server.answer(1) == server.answer(2))
    }

    @Test func requestThatMaySeeLessIsAnsweredWithWhatThereIs() {
        var server = server()
        _ = server.watch()
        let rough = server.watch(Self.reduced)
        server.fix()
        server.request(1)
        server.hub.setPermission(Self.reduced, of: RequestID(number: 1))
        server.perform(server.hub.reconsiderRequest(RequestID(number: 1), at: server.now))
        #expect(server.answer(1) == server.locations(rough).first.map { .location($0) })
    }

    @Test func losingFullAccuracyForgetsWhatWaits() {
        var server = server()
        let id = server.watch()
        server.stalled = [id]
        server.fixes(3)
        server.permit(Self.reduced, id)
        server.clear()
        server.read(id)
        #expect(server.updates(id).allSatisfy { $0.location == nil })
        server.fix()
        #expect(server.locations(id).allSatisfy { ($0.horizontalAccuracy ?? 0) >= 2000 })
    }

    @Test func requestInFlightFollowsItsPermission() {
        var server = server()
        server.request(1)
        server.hub.setPermission(Self.reduced, of: RequestID(number: 1))
        server.fix()
        guard case .location(let location) = server.answer(1) else {
            Issue.record("no answer")
            return
        }
        #expect(location.horizontalAccuracy ?? 0 >= 2000)
    }

    @Test func suspendedAuthorizationMakesNoDemand() {
        var server = server()
        var absent = Permission(.authorizedWhenInUse)
        absent.isSuspended = true
        absent.reason = "not here"
        let id = server.watch(absent)
        #expect(server.demands.isEmpty)
        #expect(server.statuses(id).map(\.reason) == ["not here"])
        server.permit(Permission(.authorizedWhenInUse), id)
        server.fix()
        server.permit(absent, id)
        server.fix()
        #expect(server.demands == [true])
        #expect(server.sequences(id) == [1])
        #expect(server.statuses(id).last?.authorization == .authorizedWhenInUse)
    }
}
