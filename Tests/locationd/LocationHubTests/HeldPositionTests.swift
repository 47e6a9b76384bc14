import LocationHub
@_spi(Programs) import LocationModel
import Testing

/// A position that was measured long before it arrives holds while it arrives again, as one by access points between
/// two scans.
@Suite struct HeldPositionTests {
    /// Tells the position that was measured `age` seconds before the test began.
    private func tell(_ server: inout ServerDouble, age: Double, hasTimestamp: Bool = false) {
        let measured = BootInstant(seconds: 1000).advanced(bySeconds: -age)
        var location = Location.fix(at: measured, device: nil)
        if !hasTimestamp { location.timestamp = nil }
        server.tell(.position(location, arrived: server.now))
    }

    @Test(arguments: [false, true]) func itHoldsBetweenTwoMeasurements(hasTimestamp: Bool) {
        var server = ServerDouble()
        let watch = server.watch()
        for _ in 0..<20 {
            tell(&server, age: 40, hasTimestamp: hasTimestamp)
            server.pass(2.5)
            #expect(server.states(watch).last == .tracking)
            #expect(server.hub.freshLocation(at: server.now)?.age(at: server.now) ?? 0 >= 40, "its age is its own")
        }
        #expect(server.states(watch).filter { $0 == .tracking }.count == 1)
        let late = server.watch()
        #expect(server.locations(late).count == 1, "who comes later gets it at once")
        server.request(1)
        #expect(server.answer(1)?.location != nil, "and so does who asks for one")
        // Three times its pace later it is lost, and found again.
        server.pass(6)
        #expect(server.states(watch).last == .lost)
        #expect(server.hub.freshLocation(at: server.now) == nil)
        tell(&server, age: 40, hasTimestamp: hasTimestamp)
        #expect(server.states(watch).last == .tracking)
    }

    /// What is not believed lets nothing hold.
    @Test func implausiblePositionDoesNotLetTheFormerHold() {
        var server = ServerDouble { $0.plausibility.maximumSpeed = 100 }
        let watch = server.watch()
        func tell(metresEast: Double, measured: BootInstant) {
            server.tell(.position(.fix(at: measured, device: nil, metresEast: metresEast), arrived: server.now))
        }
        tell(metresEast: 0, measured: server.now)
        server.pass(1)
        let jump = server.now
        for _ in 0..<6 {
            tell(metresEast: 100_000, measured: jump)
            server.pass(1)
        }
        #expect(server.hub.freshLocation(at: server.now) == nil)
        #expect(server.locations(watch).count == 1)
    }

    /// The position is published when its source is followed, however often it has come before.
    @Test func positionOfASourceThatTakesOverIsPublished() {
        var server = ServerDouble(sources: 2)
        let watch = server.watch()
        let measured = server.now.advanced(bySeconds: -40)
        for _ in 0..<3 {
            server.fix(rank: 0)
            server.tell(.position(.fix(at: measured, device: nil, metresEast: 500), arrived: server.now), rank: 1)
            server.pass(1)
        }
        server.tell(.noFix(device: "/dev/gps0"), rank: 0)
        server.tell(.position(.fix(at: measured, device: nil, metresEast: 500), arrived: server.now), rank: 1)
        #expect(server.locations(watch).last?.source.device == nil)
        #expect(server.hub.freshLocation(at: server.now)?.monotonicTime == measured)
    }

    /// A receiver that says the same again has stopped.
    @Test func repeatedFixDoesNotHold() {
        var server = ServerDouble()
        let watch = server.watch()
        let fix = Location.fix(at: server.now)
        for _ in 0..<5 {
            server.tell(.fix(fix))
            server.pass(1)
        }
        #expect(server.states(watch).last != .tracking)
    }
}
