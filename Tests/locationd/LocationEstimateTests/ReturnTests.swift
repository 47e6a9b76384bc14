import Glibc
import LocationEstimate
@_spi(Programs) import LocationModel
import Testing

/// Fixes that come back elsewhere than they were expected: the estimate lets go of what it believed.
///
/// The receiver of these tests has five fixes a second with an error of 3 m along each axis, and states that.
@Suite struct ReturnTests {
    /// 1.5 times what 95 % of the fixes are off at most, metres.
    private static let bar = 1.5 * 3 * (-2 * log(0.05)).squareRoot()

    /// A machine that has driven to the east for twelve seconds.
    private func journey(_ speed: Double = 14) -> Journey {
        var journey = Journey()
        journey.accuracy = 4.6
        drive(&journey, speed, seconds: 12, seed: 1)
        return journey
    }

    /// - Parameter shift: what its receiver is off to the north besides, at so many seconds.
    private func drive(
        _ journey: inout Journey, _ speed: Double, course: Double = 90, seconds: Double, seed: UInt64 = 2,
        shift: (Double) -> Double = { _ in 0 }
    ) {
        for (index, error) in Journey.errors(Int(seconds * 5), 3, seed: seed).enumerated() {
            let north = error.north + shift(Double(index) / 5)
            journey.go(speed, course: course, for: 0.2, error: (error.east, north)) {
                if speed == 0 { $0.course = nil }
            }
        }
    }

    @Test(arguments: [0.0, 14])
    func tunnelWithABendIsLeft(speed: Double) throws {
        var journey = journey()
        journey.goUnseen(14, course: 90, for: 6)
        journey.goUnseen(14, course: 180, for: 10)
        drive(&journey, speed, course: 180, seconds: 5)
        #expect(journey.error(of: journey.last) < Self.bar)
        drive(&journey, speed, course: 180, seconds: 15, seed: 4)
        #expect(journey.error(of: journey.last) < Self.bar)
        #expect(try #require(journey.last?.horizontalAccuracy) < 6)
    }

    /// A prediction of this age is a guess.
    @Test func shortGapWithABendIsLeft() {
        var journey = journey()
        journey.goUnseen(14, course: 180, for: 6)
        drive(&journey, 14, course: 180, seconds: 2)
        #expect(journey.error(of: journey.last) < Self.bar)
    }

    @Test(arguments: [(0.0, 60.0), (0, 20), (14, 60), (14, 20), (14, 500)])
    func jumpIsFollowed(speed: Double, distance: Double) {
        var journey = journey(speed)
        journey.goUnseen(distance * 5, course: 0, for: 0.2)
        drive(&journey, speed, seconds: 5)
        #expect(journey.error(of: journey.last) < Self.bar)
    }

    /// What a receiver says while it converges counts no more than what it says afterwards, whatever it states; at
    /// first, after a tunnel, and after a short gap.
    @Test(arguments: [0, 3, 6, 9, 16], [(0, 0.5), (0, 1), (14, 0.5), (14, 1)])
    func convergingReceiverIsFollowed(gap: Double, after: (speed: Double, decay: Double)) throws {
        var journey = Journey()
        if gap > 0 {
            journey = self.journey()
            journey.goUnseen(14, course: 135, for: gap)
        }
        journey.accuracy = 4.6
        drive(&journey, after.speed, course: 135, seconds: 5, shift: { 200 * exp(-$0 / after.decay) })
        #expect(journey.error(of: journey.last) < Self.bar)
        drive(&journey, after.speed, course: 135, seconds: 15, seed: 4)
        #expect(journey.error(of: journey.last) < 3)
        #expect(try #require(journey.last?.horizontalAccuracy) < 6)
    }

    /// The last moment of the predictions, and one after it.
    @Test(arguments: [(10, false), (10.2, true)])
    func fixAfterTheEndOfPredictionsBeginsAnew(gap: Double, isNew: Bool) throws {
        var journey = journey()
        journey.go(14, for: gap, error: (8, 0))
        let (last, error) = (try #require(journey.last), journey.error(of: journey.last))
        #expect((abs(error - 8) < 1e-6) == isNew, "\(error)")
        #expect(try (abs(#require(last.horizontalAccuracy) - 4.6) < 0.01) == isNew)
    }

    /// Fixes 25 m away, which are no more than unlikely: five of them, or those of three seconds.
    @Test(arguments: [(0.2, 5), (0.5, 5), (1, 4), (2, 3)])
    func fixesThatAgreeAreBelieved(interval: Double, count: Int) throws {
        var journey = Journey()
        journey.accuracy = 4.6
        for _ in 0..<60 { journey.go(14, for: interval) }
        for number in 1...count {
            journey.go(14, for: interval, error: (0, 25))
            let distance = abs(journey.error(of: journey.last) - 25)
            #expect((distance < 1e-6) == (number == count), "\(number): \(distance)")
        }
        #expect(try abs(#require(journey.last?.horizontalAccuracy) - 4.6) < 0.01, "as large as is stated")
    }

    /// None of them agrees with the one before it.
    @Test func fixesThatDisagreeWithOneAnotherAreNotBelieved() throws {
        var journey = journey()
        for index in 0..<20 {
            let angle = Double(index) * 2 * .pi / 3
            journey.go(14, for: 0.2, error: (40 * sin(angle), 40 * cos(angle)))
            #expect(journey.error(of: journey.last) < 25)
        }
        #expect(try #require(journey.last?.horizontalAccuracy) > 6, "they are said to scatter")
    }

    @Test func courseIsKeptWhereAStandingMachineJumps() throws {
        var journey = journey()
        drive(&journey, 0, seconds: 10)
        let course = try #require(journey.last?.course)
        drive(&journey, 0, seconds: 10, shift: { _ in 60 })
        #expect(try abs(#require(journey.last?.course) - course) < 0.01 && journey.last?.speed == 0)
    }

    /// A rough source that comes after a gap says less than what was known before it.
    @Test func rougherSourceAfterAGapMovesItLittle() {
        var journey = journey()
        journey.go(14, for: 4, error: (400, 0)) {
            ($0.horizontalAccuracy, $0.source) = (800, SourceInformation(name: "nearby", method: .network))
            ($0.speed, $0.speedAccuracy, $0.course) = (nil, nil, nil)
        }
        #expect(journey.error(of: journey.last) < 20)
    }

    /// Its positions are of no use any more, its velocities are.
    @Test func machineThatTurnsIsFollowedWhileItsReceiverScatters() {
        var journey = journey()
        for index in 0..<50 {
            let angle = Double(index) * 2 * .pi / 3
            journey.go(14, course: 180, for: 0.2, error: (200 * sin(angle), 200 * cos(angle)))
        }
        #expect(journey.error(of: journey.last) < 50)
    }

    /// What a receiver scatters more than it states stays known where the estimate begins anew, and with a fix every
    /// three seconds too.
    @Test(arguments: [25.0, 300])
    func scatterStaysKnown(distance: Double) throws {
        var journey = Journey()
        journey.accuracy = 1
        for error in Journey.errors(100, 3) { journey.go(14, for: 0.2, error: error) }
        journey.goUnseen(distance * 5, course: 0, for: 0.2)
        for error in Journey.errors(10, 3, seed: 5) { journey.go(14, for: 0.2, error: error) }
        #expect(journey.error(of: journey.last) < 8)
        #expect(try #require(journey.last?.horizontalAccuracy) > 2)
        var slow = Journey()
        for error in Journey.errors(60, 10) { slow.go(14, for: 3, error: error) }
        #expect(try #require(slow.last?.horizontalAccuracy) > 6)
    }
}
