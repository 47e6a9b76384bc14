import LocationHub
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

/// Whoever sends near the machine can make a network's position: it counts only where the machine may be by its last
/// fix by satellites.
@Suite struct NetworkPositionTests {
    private static let speed = 100.0

    private func server(lastLocation: Location? = nil, reduction: ReducedAccuracy? = nil) -> ServerDouble {
        ServerDouble(sources: 2, lastLocation: lastLocation, reduction: reduction) {
            $0.plausibility.maximumSpeed = Self.speed
        }
    }

    private func tell(_ server: inout ServerDouble, metresEast: Double, age: Double = 0) {
        var location = Location.fix(
            at: server.now.advanced(bySeconds: -age), device: nil, metresEast: metresEast)
        location.source = SourceInformation(name: "nearby", method: .network)
        location.timestamp = nil
        server.tell(.position(location, arrived: server.now), rank: 1)
    }

    @Test func placeThatTheMachineCannotHaveReachedIsHeldBackAndMarked() throws {
        var server = server()
        let watch = server.watch()
        let every = server.watch { $0.everySource = true }
        let region = Region.circle("away", metresEast: 50_000, radius: 500)
        let monitor = try server.monitor([.home, region])
        server.fix()
        server.tell(.noFix(device: "/dev/gps0"))
        let reports = server.reports(monitor)
        // However often it comes: whoever makes it repeats it.
        for _ in 0..<20 {
            server.pass(1)
            tell(&server, metresEast: 50_000)
        }
        #expect(server.locations(watch).count == 1 && server.states(watch).last == .lost)
        let sources = server.hub.status(for: .granted, at: server.now).sources
        #expect(sources?.last?.reason?.contains("since its last fix by satellites") == true, "\(sources ?? [])")
        #expect(server.locations(every).map(\.implausibility) == [nil] + Array(repeating: .jump, count: 20))
        #expect(server.reports(monitor) == reports, "no region is entered or left by it")
    }

    /// The circles have 5 m, three times of which each may be wrong.
    @Test func itIsBelievedFromTheMomentThatTheMachineMayBeThere() {
        var server = server()
        let watch = server.watch()
        server.fix()
        server.tell(.noFix(device: "/dev/gps0"))
        server.pass(100)
        tell(&server, metresEast: 10_031)
        #expect(server.locations(watch).count == 1)
        tell(&server, metresEast: 10_029)
        #expect(server.locations(watch).count == 2 && server.states(watch).last == .tracking)
        // What was measured before the fix has no time to differ in.
        server.fix()
        server.tell(.noFix(device: "/dev/gps0"))
        server.pass(100)
        let count = server.locations(watch).count
        tell(&server, metresEast: 1000, age: 101)
        #expect(server.locations(watch).count == count)
    }

    @Test func lastLocationOfAnEarlierRunCounts() {
        let now = BootInstant(seconds: 1000)
        var server = server(lastLocation: .fix(at: now.advanced(bySeconds: -100)))
        let watch = server.watch()
        tell(&server, metresEast: 10_031)
        #expect(server.locations(watch).isEmpty)
        tell(&server, metresEast: 10_029)
        #expect(server.locations(watch).count == 1)
    }

    /// Each place that a program with reduced accuracy sees tells it something of the machine's displacement.
    @Test func reducedAccuracyGetsNoneThatContradicts() throws {
        var generator = SeededGenerator(seed: 7)
        var server = server(
            reduction: ReducedAccuracy(grid: AccuracyGrid(), displacement: .random(using: &generator)))
        let reduced = server.watch(Permission(.authorizedAlways, accuracy: .reduced))
        server.fix()
        let first = server.locations(reduced)
        server.tell(.noFix(device: "/dev/gps0"))
        for place in 1...14 {
            server.pass(1)
            tell(&server, metresEast: Double(place) * 10_000)
        }
        #expect(first.count == 1 && server.locations(reduced).count == 1)
    }

    @Test func secondFixBySatellitesIsJudgedByItsReceiversOwn() {
        var server = server()
        let watch = server.watch { $0.everySource = true }
        server.fix("/dev/gps0")
        server.fix("/dev/gps1", metresEast: 50_000)
        #expect(server.locations(watch).map(\.implausibility) == [nil, nil])
    }
}
