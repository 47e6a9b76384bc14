@_spi(Programs) import LocationModel
@_spi(Programs) import SystemSupport
import Testing

@testable import ProviderSource

/// What of a provider's bytes becomes a location, a reason or an end.
@Suite struct ProviderSessionTests {
    private let start = BootInstant(seconds: 1000)

    private func session(_ method: ProviderEndpoint.Method = .network) -> ProviderSession {
        ProviderSession(source: "nearby", method: method, at: start)
    }

    private static func reply(_ parameters: String, continues: Bool = true) -> [UInt8] {
        Array("{\"continues\":\(continues),\"parameters\":\(parameters)}\0".utf8)
    }

    private static func position(_ members: String) -> [UInt8] { reply("{\"position\":{\(members)}}") }

    private static let good = #""latitude":52.5,"longitude":13.4,"horizontalAccuracy":35"#

    private func fixes(_ steps: [ProviderSession.Step]) -> [Location] {
        steps.compactMap { step in
            switch step {
            case .emit(.fix(let location)), .emit(.position(let location, _)): location
            default: nil
            }
        }
    }

    @Test func callAsksForMore() {
        let text = #"{"method":"org.locationd.provider.Locate","more":true,"parameters":{}}"#
        #expect(ProviderSession.call() == Array(text.utf8) + [0])
    }

    @Test func positionIsALocationOfTheNetwork() throws {
        var session = session()
        let members = Self.good + #","altitude":40,"verticalAccuracy":9,"speed":1.5,"course":90,"age":2"#
        let steps = session.receive(Self.position(members), at: start)
        #expect(steps.first == .emit(.condition(.connected(reason: nil))))
        let location = try #require(fixes(steps).first)
        #expect(location.source == SourceInformation(name: "nearby", method: .network))
        #expect(location.coordinate == Coordinate(latitude: 52.5, longitude: 13.4))
        #expect(location.horizontalAccuracy == 35 && location.verticalAccuracy == 9 && location.altitude == 40)
        #expect(location.speed == 1.5 && location.course == 90 && location.timestamp == nil)
        #expect(location.mode == .threeDimensional && location.augmentation == nil)
        #expect(location.monotonicTime == start.advanced(bySeconds: -2), "it is as old as the provider says")
        #expect(session.deadline == nil, "a provider may be silent once it has answered")
    }

    @Test func methodSaysHowItCameToBe() throws {
        var (receiver, wheels) = (session(.gnss), session(.deadReckoning))
        let fix = try #require(fixes(receiver.receive(Self.position(Self.good), at: start)).first)
        #expect(fix.source.method == .gnss && fix.augmentation == nil && fix.mode == .twoDimensional)
        let reckoned = try #require(fixes(wheels.receive(Self.position(Self.good), at: start)).first)
        #expect(reckoned.source.method == .gnss && reckoned.augmentation == .deadReckoning)
    }

    @Test(arguments: [
        #""latitude":91,"longitude":0,"horizontalAccuracy":5"#, #""latitude":0,"longitude":181,"horizontalAccuracy":5"#,
        #""latitude":1,"longitude":1,"horizontalAccuracy":0"#, #""latitude":1,"longitude":1,"horizontalAccuracy":-3"#,
        #""latitude":1,"longitude":1,"horizontalAccuracy":1000001"#, good + #","age":-1"#, good + #","age":86401"#,
        good + #","course":360"#, good + #","speed":-1"#, good + #","verticalAccuracy":-1"#,
        good + #","timestamp":"yesterday""#,
    ])
    func impossiblePositionIsNotedAndNotUsed(_ members: String) {
        var session = session()
        let steps = session.receive(Self.position(members), at: start)
        guard case .note("impossible", _)? = steps.first, steps.count == 1 else {
            Issue.record("\(steps)")
            return
        }
        #expect(fixes(session.receive(Self.position(Self.good), at: start)).count == 1, "the next one counts")
    }

    @Test(arguments: [
        #""latitude":1,"longitude":1"#, #""latitude":"1","longitude":1,"horizontalAccuracy":5"#,
        #""longitude":1,"horizontalAccuracy":5"#, #""latitude":1e999,"longitude":1,"horizontalAccuracy":5"#,
    ])
    func positionOfAnotherFormIsNoted(_ members: String) {
        var session = session()
        let steps = session.receive(Self.position(members), at: start)
        guard case .note("malformed", _)? = steps.first, steps.count == 1 else {
            Issue.record("\(steps)")
            return
        }
    }

    @Test func reasonIsTheConditionsAndIsBounded() {
        var session = session()
        let long = String(repeating: "x", count: 300)
        let marked = "e" + String(repeating: "\u{301}", count: 300)
        for (reply, reason) in [
            (#"{"reason":"no access point is known here"}"#, "no access point is known here"),
            ("{}", "the provider has no position, and says no reason"),
            ("{\"reason\":\"\(long)\"}", String(repeating: "x", count: 200)),
            // One character of 601 bytes.
            ("{\"reason\":\"no \(marked)\"}", "no "),
        ] {
            let steps = session.receive(Self.reply(reply), at: start)
            #expect(steps == [.emit(.condition(.connected(reason: reason))), .emit(.noFix(device: nil))])
        }
    }

    @Test func errorsGarbageAndEndsCloseTheConnection() {
        let absent = #"{"error":"org.varlink.service.MethodNotFound"}"#
        let cases: [([UInt8], ProviderFailure)] = [
            (Array(absent.utf8) + [0], .errorReply("org.varlink.service.MethodNotFound")),
            (Array("$GPGGA,1*00\r\n\0".utf8), .garbage), ([0], .garbage),
            (Array(repeating: UInt8(ascii: "x"), count: 65_538), .garbage),
            (Self.reply("{}", continues: false), .ended),
        ]
        for (bytes, failure) in cases {
            var session = session()
            #expect(session.receive(bytes, at: start).last == .fail(failure))
        }
    }

    @Test func positionThatIsOlderThanTheOneBeforeIsNotUsed() {
        var session = session()
        #expect(fixes(session.receive(Self.position(Self.good + #","age":1"#), at: start)).count == 1)
        let later = start.advanced(bySeconds: 1)
        #expect(session.receive(Self.position(Self.good + #","age":5"#), at: later) == [.count("outdated")])
        #expect(fixes(session.receive(Self.position(Self.good + #","age":2"#), at: later)).count == 1, "the same again")
    }

    /// The same measurement, which was on its way for a little longer the first time.
    @Test(arguments: [(0.2, true), (0.3, false)])
    func measurementThatIsSentAgainMayComeFaster(seconds: Double, isUsed: Bool) throws {
        var session = session()
        let first = try #require(fixes(session.receive(Self.position(Self.good + #","age":1"#), at: start)).first)
        let later = start.advanced(bySeconds: 5 - seconds)
        let again = fixes(session.receive(Self.position(Self.good + #","age":6"#), at: later))
        #expect(again.map(\.monotonicTime) == (isUsed ? [first.monotonicTime] : []))
    }

    @Test(arguments: [#","altitude":1e9"#, #","speed":1e10"#, #","verticalAccuracy":1e10"#])
    func numbersBeyondReasonAreNotUsed(member: String) {
        var session = session()
        let steps = session.receive(Self.position(Self.good + member), at: start)
        #expect(fixes(steps).isEmpty && !steps.isEmpty, "\(steps)")
    }

    @Test func messageMayComeInAnyPieces() {
        let bytes = Self.position(Self.good) + Self.position(Self.good)
        for cut in 1..<bytes.count {
            var session = session()
            var steps = session.receive(bytes[..<cut], at: start)
            steps += session.receive(bytes[cut...], at: start.advanced(bySeconds: 1))
            steps += session.advance(to: start.advanced(bySeconds: 2))
            #expect(fixes(steps).count == 2, "cut at \(cut)")
        }
    }

    @Test func firstReplyIsDueInHalfAMinute() {
        var session = session()
        #expect(session.deadline == start.advanced(bySeconds: 30))
        #expect(session.advance(to: start.advanced(bySeconds: 29.9)) == [])
        #expect(session.advance(to: start.advanced(bySeconds: 30)) == [.fail(.silent)])
    }

    @Test func ofTenThousandASecondTheNewestTwentyCount() {
        var session = session()
        var steps: [ProviderSession.Step] = []
        for number in 0..<10_000 {
            let now = start.advanced(bySeconds: Double(number) / 10_000)
            steps += session.advance(to: now)
            steps += session.receive(Self.position(Self.good), at: now)
        }
        #expect((20...21).contains(fixes(steps).count))
        #expect(steps.contains { if case .note("floods", _) = $0 { true } else { false } })
        #expect(steps.count { $0 == .count("coalesced") } >= 9900)
    }

    @Test func rootTheDaemonAndTheNamedUserAreTrusted() {
        var endpoint = ProviderEndpoint(path: "/s")
        #expect(endpoint.isTrusted(uid: 0, own: 990) && endpoint.isTrusted(uid: 990, own: 990))
        #expect(!endpoint.isTrusted(uid: 1000, own: 990))
        endpoint.user = "1000"
        #expect(endpoint.isTrusted(uid: 1000, own: 990) && !endpoint.isTrusted(uid: 1001, own: 990))
        endpoint.user = "daemon"
        #expect(endpoint.isTrusted(uid: 1, own: 990) && !endpoint.isTrusted(uid: 1000, own: 990))
        endpoint.user = "nobody-of-this-name"
        #expect(!endpoint.isTrusted(uid: 1000, own: 990))
    }
}
