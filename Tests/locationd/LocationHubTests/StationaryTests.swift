@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

@testable import LocationHub

/// Whether the machine is stationary, and what is said of it.
@Suite struct StationaryTests {
    /// Whether the machine counts as stationary after fixes a second apart.
    private func isStationary(
        after seconds: Int, _ fix: (Int, inout Location) -> Void = { _, _ in }
    ) -> Bool {
        var detector = StationaryDetector()
        for second in 0...seconds {
            var location = Location.fix(at: BootInstant(seconds: 1000 + Double(second)))
            fix(second, &location)
            detector.applyFix(location)
        }
        return detector.isStationary
    }

    private func move(_ location: inout Location, metres: Double) {
        location.coordinate = Coordinate.start.coordinate(atDistance: metres, bearing: 90)
    }

    @Test func itIsAfterAMinuteAtOnePlace() {
        #expect(!isStationary(after: 59))
        #expect(isStationary(after: 60))
    }

    @Test func noiseIsNoMovement() {
        #expect(isStationary(after: 200) { second, fix in move(&fix, metres: second.isMultiple(of: 2) ? 24 : 0) })
        #expect(!isStationary(after: 200) { second, fix in move(&fix, metres: second.isMultiple(of: 2) ? 26 : 0) })
    }

    @Test func aWalkIsAMovement() {
        #expect(!isStationary(after: 200) { second, fix in move(&fix, metres: Double(second)) })
    }

    @Test func certainSpeedIsAMovementAtOnePlace() {
        #expect(!isStationary(after: 200) { second, fix in if second > 150 { fix.speed = 2.1 } })
        #expect(isStationary(after: 200) { _, fix in fix.speed = 1.9 })
        #expect(
            !isStationary(after: 200) { second, fix in
                if second > 150 { (fix.speed, fix.speedAccuracy) = (1.3, 0.2) }
            })
    }

    @Test func anInaccurateFixOnlyEndsIt() {
        #expect(!isStationary(after: 200) { _, fix in fix.horizontalAccuracy = 101 })
        #expect(
            isStationary(after: 100) { second, fix in
                if second > 60 { fix.horizontalAccuracy = 500 }
                if second == 90 { move(&fix, metres: 400) }
            })
        #expect(
            !isStationary(after: 100) { second, fix in
                if second == 90 { (fix.horizontalAccuracy, fix.speed) = (500, nil) }
                if second == 90 { move(&fix, metres: 600) }
            })
        #expect(isStationary(after: 60) { _, fix in fix.horizontalAccuracy = nil })
    }

    @Test func itIsToldInTheStatus() {
        var server = ServerDouble()
        let id = server.watch()
        server.fixes(60)
        #expect(server.statuses(id).last?.stationary == nil)
        server.pass(1)
        server.fix()
        #expect(server.updates(id).suffix(2).map { $0.status?.stationary } == [true, nil])
        #expect(server.updates(id).last?.location != nil, "the status comes before the location")
        server.pass(1)
        server.fix(metresEast: 100)
        #expect(server.statuses(id).last?.stationary == nil)
        #expect(server.statuses(id).last?.source == .tracking)
    }

    @Test func withoutFullAccuracyItIsNotTold() {
        var generator = SeededGenerator(seed: 1)
        let reduction = ReducedAccuracy(grid: AccuracyGrid(), displacement: .random(using: &generator))
        var server = ServerDouble(reduction: reduction)
        let reduced = Permission(.authorizedAlways, accuracy: .reduced)
        let id = server.watch(reduced)
        let full = server.watch()
        server.fixes(70)
        #expect(server.statuses(full).last?.stationary == true)
        #expect(server.statuses(id).allSatisfy { $0.stationary == nil })
        #expect(server.hub.status(for: reduced, at: server.now).stationary == nil)
    }

    @Test func itIsForgottenWhenTheSourcesStop() {
        var server = ServerDouble { $0.linger = 0 }
        let id = server.watch()
        server.fixes(70)
        #expect(server.hub.status(for: .granted, at: server.now).stationary == true)
        server.end(id)
        #expect(server.hub.status(for: .granted, at: server.now).stationary == nil)
        let again = server.watch()
        server.pass(1)
        server.fix()
        #expect(server.statuses(again).allSatisfy { $0.stationary == nil })
    }

    @Test func withoutAFixItIsNotKnown() {
        var server = ServerDouble()
        let id = server.watch()
        server.fixes(70)
        server.tell(.noFix(device: "/dev/gps0"))
        #expect(server.statuses(id).last?.source == .lost)
        #expect(server.statuses(id).last?.stationary == nil)
    }
}
