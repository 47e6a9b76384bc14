@_spi(Programs) import LocationModel
import Testing

@testable import CompassSource

@Suite struct CompassSessionTests {
    private var session = CompassSession(at: BootInstant(seconds: 100))
    private var now = BootInstant(seconds: 100)
    private var cookie: UInt64 = 0

    /// Receives what the session does, and gives its calls cookies: 1, 2, 3 and so on.
    private mutating func carryOut(_ steps: [CompassSession.Step]) -> [CompassSession.Step] {
        for case .send(let call) in steps {
            cookie += 1
            session.sent(call, as: cookie, at: now)
        }
        return steps
    }

    private mutating func receive(_ message: CompassMessage) -> [CompassSession.Step] {
        carryOut(session.receive(message, at: now))
    }

    private mutating func pass(_ seconds: Double) -> [CompassSession.Step] {
        now = now.advanced(bySeconds: seconds)
        return carryOut(session.advance(to: now))
    }

    /// Claims the compass from `:1.7` and reads its properties.
    private mutating func begin(_ properties: CompassProperties) -> [CompassSession.Step] {
        _ = carryOut(session.begin(at: now))
        _ = receive(.reply(to: 1, sender: "org.freedesktop.DBus", nil))
        _ = receive(.reply(to: 2, sender: "org.freedesktop.DBus", nil))
        _ = receive(.reply(to: 3, sender: ":1.7", nil))
        return receive(.reply(to: 4, sender: ":1.7", properties))
    }

    private func properties(_ heading: Double?, has: Bool? = nil) -> CompassProperties {
        CompassProperties(hasCompass: has, heading: heading)
    }

    private func emitted(_ steps: [CompassSession.Step]) -> [Double] {
        steps.compactMap { step in
            guard case .emit(.heading(let heading, _, _)) = step else { return nil }
            return heading.magneticHeading
        }
    }

    @Test mutating func theCompassIsClaimedBeforeItIsRead() {
        #expect(carryOut(session.begin(at: now)) == [.send(.watchOwner), .send(.watchProperties), .send(.claim)])
        #expect(receive(.reply(to: 3, sender: ":1.7", nil)) == [.send(.getProperties)])
        var heading = Heading()
        heading.magneticHeading = 12.5
        #expect(
            receive(.reply(to: 4, sender: ":1.7", properties(12.5, has: true))) == [
                .emit(.condition(.connected(reason: nil))), .emit(.heading(heading, device: nil, at: now)),
            ])
    }

    @Test mutating func aHeadingThatDoesNotChangeIsReadAgainEachSecond() {
        _ = begin(properties(12.5, has: true))
        #expect(pass(0.9).isEmpty)
        #expect(pass(0.2) == [.send(.getProperties)])
        #expect(pass(0.2).isEmpty, "one reading at a time")
        #expect(emitted(receive(.reply(to: 5, sender: ":1.7", properties(12.5, has: true)))) == [12.5])
        #expect(session.deadline == now.advanced(bySeconds: 1))
    }

    @Test mutating func aChangeDefersTheNextReading() {
        _ = begin(properties(12.5, has: true))
        _ = pass(0.9)
        #expect(emitted(receive(.propertiesChanged(sender: ":1.7", properties(13)))) == [13])
        #expect(pass(0.9).isEmpty)
        #expect(pass(0.2) == [.send(.getProperties)])
    }

    @Test mutating func aProxyThatDoesNotAnswerIsSilent() {
        _ = begin(properties(12.5, has: true))
        _ = pass(1)
        #expect(pass(4.9).isEmpty)
        #expect(pass(0.2) == [.fail(.silent)])
    }

    @Test mutating func aProxyMayTakeAWhileToStart() {
        _ = carryOut(session.begin(at: now))
        _ = receive(.reply(to: 1, sender: nil, nil))
        _ = receive(.reply(to: 2, sender: nil, nil))
        #expect(pass(24).isEmpty)
        #expect(pass(2) == [.fail(.silent)])
    }

    @Test mutating func fullCircleIsNorth() {
        #expect(emitted(begin(properties(360, has: true))) == [0])
    }

    @Test(arguments: [-0.5, 360.5, .infinity, .nan, -2])
    mutating func impossibleHeadingsAreCounted(_ degrees: Double) {
        #expect(begin(properties(degrees)) == [.note("impossible", example: "a heading outside 0 to 360")])
    }

    @Test mutating func noHeadingYetIsAReason() {
        let steps = begin(properties(-1, has: true))
        #expect(steps == [.emit(.condition(.connected(reason: "the compass has no heading yet")))])
    }

    @Test mutating func machineWithoutCompassHasAFailure() {
        #expect(begin(properties(-1, has: false)) == [.fail(.noCompass)])
    }

    @Test mutating func compassThatIsLostHasAFailure() {
        _ = begin(properties(1, has: true))
        #expect(receive(.propertiesChanged(sender: ":1.7", properties(nil, has: false))) == [.fail(.noCompass)])
    }

    @Test mutating func proxyWithoutTheseProperties() {
        #expect(begin(properties(nil)) == [.fail(.unsupported)])
    }

    @Test mutating func headingsOfOtherProgramsAreNotBelieved() {
        _ = begin(properties(1, has: true))
        now = now.advanced(bySeconds: 0.1)
        #expect(
            receive(.propertiesChanged(sender: ":1.8", properties(90)))
                == [.note("foreign", example: "a heading of another program")])
        #expect(emitted(receive(.propertiesChanged(sender: ":1.7", properties(2)))) == [2])
    }

    @Test mutating func nothingIsBelievedBeforeTheClaim() {
        _ = carryOut(session.begin(at: now))
        #expect(receive(.propertiesChanged(sender: ":1.7", properties(2))).isEmpty)
    }

    @Test mutating func aProxyThatEndsOrIsReplacedIsNoticed() {
        _ = begin(properties(1, has: true))
        #expect(receive(.ownerChanged(":1.7")).isEmpty)
        #expect(receive(.ownerChanged(nil)) == [.fail(.proxyGone)])
        #expect(receive(.ownerChanged(":1.9")) == [.fail(.proxyGone)])
    }

    @Test mutating func wrongTypesAreCounted() {
        _ = begin(properties(1, has: true))
        let wrong = CompassProperties(isMalformed: true)
        #expect(
            receive(.propertiesChanged(sender: ":1.7", wrong))
                == [.note("malformed", example: "a property of another type")])
        _ = pass(1)
        #expect(
            receive(.reply(to: 5, sender: ":1.7", nil))
                == [.note("malformed", example: "properties of another signature")])
    }

    @Test mutating func fastHeadingsAreCoalesced() {
        _ = begin(properties(0, has: true))
        now = now.advanced(bySeconds: 0.01)
        var counted = 0
        for degrees in 1...100 {
            let steps = receive(.propertiesChanged(sender: ":1.7", properties(Double(degrees))))
            #expect(emitted(steps).isEmpty)
            counted += steps.count { $0 == .count("coalesced", 1) }
        }
        #expect(counted == 99)
        #expect(emitted(pass(0.05)) == [100])
    }

    @Test(arguments: [
        ("ServiceUnknown", CompassFailure.noProxy), ("NameHasNoOwner", .noProxy), ("Spawn.ExecFailed", .noProxy),
        ("AccessDenied", .refused), ("UnknownMethod", .unsupported), ("UnknownObject", .unsupported),
        ("NoReply", .silent),
    ])
    mutating func errorsHaveTheirReasons(_ name: String, _ failure: CompassFailure) {
        _ = carryOut(session.begin(at: now))
        #expect(
            receive(.error(to: 3, name: "org.freedesktop.DBus.Error." + name, message: "")) == [.fail(failure)])
    }

    @Test mutating func errorsOfOthersAreShownWithoutTheirControlCharacters() {
        _ = carryOut(session.begin(at: now))
        let steps = receive(.error(to: 3, name: "org.example.Odd", message: "a\u{1B}[31mb"))
        guard case .fail(let failure) = steps.first else {
            Issue.record("\(steps)")
            return
        }
        #expect(failure.reason.hasSuffix("org.example.Odd: a\\u{1b}[31mb"))
    }

    @Test mutating func unexpectedRepliesMeanNothing() {
        _ = begin(properties(1, has: true))
        #expect(receive(.reply(to: 99, sender: ":1.7", properties(2))).isEmpty)
        #expect(receive(.error(to: 99, name: "a.b", message: "")).isEmpty)
        #expect(receive(.other).isEmpty)
    }
}
