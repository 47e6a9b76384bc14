import LocationHub
@_spi(Programs) import LocationModel
@_spi(Programs) import RegionMonitoring
import Testing

/// What satisfies monitors and clients with reduced accuracy: a source that costs hardly any power (`source1`), or the
/// receiver (`source0`) too.
@Suite struct PowerNeedTests {
    private let rough = Permission(.authorizedAlways, accuracy: .reduced)

    private func server(reduction: ReducedAccuracy? = nil, blur: UInt64? = nil) -> ServerDouble {
        ServerDouble(sources: 2, lowPower: ["source1"], reduction: reduction, blur: blur) {
            $0.failoverDelay = 5
            $0.linger = 4
            $0.failoverHysteresis = 0
        }
    }

    private func network(_ server: inout ServerDouble, accuracy: Double, metresEast: Double = 0) {
        server.fix(nil, rank: 1, metresEast: metresEast) { $0.horizontalAccuracy = accuracy }
    }

    /// Passes the time until the sources run again.
    private func sleep(_ server: inout ServerDouble) {
        server.pass(10)
        while !server.isDemanded, let deadline = server.hub.nextDeadline {
            server.pass(deadline.seconds(since: server.now))
        }
    }

    @Test(arguments: [nil, 7] as [UInt64?])
    func monitorFarFromItsBordersStartsNoReceiver(blur: UInt64?) throws {
        var server = server(blur: blur)
        _ = try server.monitor([.circle("far", metresEast: 60_000)])
        #expect(server.isDemanded && server.switchedOff == [], "where it is is not known yet")
        server.fix()
        for _ in 0..<3 {
            sleep(&server)
            #expect(server.isDemanded && server.switchedOff == ["source0"])
            network(&server, accuracy: 400)
            server.pass(10)
            #expect(!server.isDemanded)
        }
        // If none comes, the receiver finds one.
        sleep(&server)
        server.pass(4)
        #expect(server.switchedOff == ["source0"])
        server.pass(2)
        #expect(server.isDemanded && server.switchedOff == [])
    }

    @Test func nearABorderTheReceiverDecides() throws {
        var server = server()
        let id = try server.monitor([.circle("far", metresEast: 60_000)])
        server.fix()
        sleep(&server)
        #expect(server.switchedOff == ["source0"])
        network(&server, accuracy: 50, metresEast: 59_500)
        #expect(server.switchedOff == [], "it may be at the border within seconds")
        server.stay(metresEast: 60_000, fixes: 5)
        #expect(server.reports(id).last == "far inside entered")
    }

    @Test func monitorNearItsBordersWantsTheReceiverWhateverAnotherWants() throws {
        var server = server()
        _ = try server.monitor([.circle("far", metresEast: 60_000)])
        _ = try server.monitor([.home])
        server.fix(metresEast: 300)
        server.pass(60)
        #expect(server.isDemanded && server.switchedOff == [])
    }

    @Test func significantChangesWantHalfTheirDistance() throws {
        var server = server()
        _ = try server.monitor(nil) {
            $0.subjects = MonitorSubjects(significantChange: SignificantChange(distance: 500))
        }
        #expect(server.isDemanded && server.switchedOff == ["source0"])
        network(&server, accuracy: 251)
        server.pass(6)
        #expect(server.switchedOff == [])
        server.fix()
        server.pass(10)
        #expect(!server.isDemanded)
    }

    @Test func visitsWantWhatDistinguishesAPlace() throws {
        var server = server()
        _ = try server.monitor(nil) { $0.subjects = MonitorSubjects(visits: true) }
        #expect(server.switchedOff == ["source0"])
        network(&server, accuracy: 50)
        #expect(server.switchedOff == ["source0"])
        server.pass(10)
        #expect(server.demands == [true, false])
    }

    @Test func clientWithReducedAccuracyStartsNoReceiver() throws {
        let reduction = ReducedAccuracy(grid: AccuracyGrid(size: 2000), displacement: .centre)
        var server = server(reduction: reduction)
        let watch = server.watch(rough)
        #expect(server.switchedOff == ["source0"])
        for _ in 0..<10 {
            network(&server, accuracy: reduction.sufficientAccuracy)
            server.pass(1)
        }
        #expect(server.switchedOff == ["source0"] && server.locations(watch).count == 1)
        let exact = server.watch()
        #expect(server.switchedOff == [])
        server.end(exact)
        network(&server, accuracy: reduction.sufficientAccuracy)
        server.request(1, rough)
        server.pass(5)
        #expect(server.switchedOff == ["source0"])
        server.request(2)
        #expect(server.switchedOff == [])
    }

    /// What the client is shown is as accurate as if a receiver had found it.
    @Test func sufficientAccuracyOfTheCellsLosesNothing() throws {
        func accuracy(_ fix: Double) throws -> Double? {
            var reduction = ReducedAccuracy(grid: AccuracyGrid(size: 2000), displacement: .centre)
            var location = Location.fix(at: BootInstant(seconds: 1))
            location.horizontalAccuracy = fix
            let reduced = reduction.applyFix(location, at: BootInstant(seconds: 1))
            return try #require(reduced).horizontalAccuracy
        }
        let sufficient = ReducedAccuracy(grid: AccuracyGrid(size: 2000), displacement: .centre).sufficientAccuracy
        #expect(try accuracy(sufficient) == accuracy(1))
        #expect(try #require(try accuracy(sufficient + 1)) > #require(try accuracy(1)))
    }
}
