import ClientTestSupport
import Glibc
@_spi(Programs) import LocationInterface
import ProgramTestSupport
import Testing

/// What an ordinary user asks: `request-authorization`.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct AuthorizationRequestCommandTests {
    private static let waiting = ScriptedReply.status("notDetermined", pending: true, continues: true)

    @Test(arguments: [("authorizedAlways", Int32(0)), ("denied", 4)])
    func decisionEndsTheWaiting(decision: String, code: Int32) throws {
        let service = try ScriptedService(["RequestAuthorization": [Self.waiting]])
        let child = try service.start(["request-authorization", "--purpose", "a map"])
        try waitUntil("it waits", details: { child.errors }) { child.errors.contains("waiting for the decision") }
        #expect(child.exitCode == nil && child.output.contains("your request is pending"))
        #expect(child.output.contains(ScriptedReply.unheard))
        let reason = decision == "denied" ? "somebody said no" : nil
        try service.say(ScriptedReply.status(decision, reason: reason))
        #expect(try child.wait() == code)
        let last = try #require(child.output.split(separator: "\n").last)
        #expect(last.contains(code == 0 ? "you may know the position (authorized always)" : "somebody said no"))
        let call = try json(service.calls.first ?? "")
        #expect(call["more"] as? Bool == true)
        let parameters = call["parameters"] as? [String: Any]
        #expect(parameters?["level"] as? String == "always" && parameters?["purpose"] as? String == "a map")
    }

    @Test func interruptionLeavesTheRequest() throws {
        let service = try ScriptedService(["RequestAuthorization": [Self.waiting]])
        let child = try service.start(["request-authorization", "--when-in-use"])
        try waitUntil("it waits", details: { child.errors }) { child.errors.contains("Ctrl-C") }
        child.signal(SIGINT)
        #expect(try child.wait() == 4)
        #expect(service.calls.first?.contains(#""level":"whenInUse""#) == true)
    }

    @Test func noWaitAsksForOneReply() throws {
        let present = ScriptedReply.status("notDetermined", pending: true)
        let service = try ScriptedService(["RequestAuthorization": [present]])
        let answer = try service.locctl("request-authorization", "--no-wait")
        #expect(answer.code == 4 && answer.errors.isEmpty, "\(answer)")
        #expect(answer.output.hasPrefix("you may not know the position (not determined)"))
        #expect(try json(service.calls.first ?? "")["more"] as? Bool != true)
        let object = try service.locctl("request-authorization", "--no-wait", "--json").object
        #expect((object["status"] as? [String: Any])?["authorizationPending"] as? Bool == true)
    }

    @Test func whatIsSettledIsToldAtOnce() throws {
        let service = try ScriptedService([
            "RequestAuthorization": [
                ScriptedReply.status("authorizedWhenInUse", reason: "you are away", accuracy: "reduced", pending: true)
            ]
        ])
        let answer = try service.locctl("request-authorization")
        #expect(answer.code == 0)
        #expect(answer.output.contains("authorized when in use, reduced accuracy"), "\(answer.output)")
        #expect(answer.output.contains("your request for a higher level is pending"))
    }

    /// Whether it holds now is asked on a further connection, of a service that has nothing more to say.
    @Test func interruptionEndsTheLastQuestion() throws {
        let service = try ScriptedService([
            "RequestAuthorization": [ScriptedReply.status("authorizedAlways")], "GetStatus": [],
        ])
        let child = try service.start(["request-authorization"])
        try waitUntil("it asks", details: { child.errors }) { service.calls.count == 2 }
        child.signal(SIGINT)
        let code = try withExtendedLifetime(service) { try child.wait(within: 15) }
        #expect(code == 0 && child.output.contains("you may know the position"))
    }

    @Test func tooManyAreExplained() throws {
        let name = "org.locationd.location.TooManyAuthorizations"
        let service = try ScriptedService(["RequestAuthorization": [ScriptedReply.error(name, #"{"limit":8}"#)]])
        let answer = try service.locctl("request-authorization")
        #expect(
            answer.code == 1 && answer.errors.contains("8 requests for authorization are pending already"), "\(answer)")
    }

    @Test func daemonThatEndsInGoodOrderIsThree() throws {
        let service = try ScriptedService(["RequestAuthorization": [Self.waiting]])
        let child = try service.start(["request-authorization"])
        try waitUntil("it waits", details: { child.errors }) { child.errors.contains("Ctrl-C") }
        try service.say(ScriptedReply.status("notDetermined", reason: "stopping", pending: true))
        let code = try withExtendedLifetime(service) { try child.wait() }
        #expect(code == 3)
        #expect(child.errors.hasSuffix("locctl: the service has ended; the request stays pending\n"), "\(child.errors)")
    }

    @Test func daemonThatLeavesIsThree() throws {
        let service = try ScriptedService(["RequestAuthorization": [Self.waiting]])
        let child = try service.start(["request-authorization"])
        try waitUntil("it waits", details: { child.errors }) { child.errors.contains("Ctrl-C") }
        service.hangUp()
        let code = try withExtendedLifetime(service) { try child.wait() }
        #expect(code == 3)
        #expect(child.errors.contains("locationd closed the connection"))
    }
}
