import ClientTestSupport
import Foundation
import Glibc
@_spi(Programs) import LocationInterface
import ProgramTestSupport
import Testing

/// What `status`, `watch`, `get` and `diagnose` tell those who may not know, or not precisely.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct AuthorizationStateCommandTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let authorization: String
        var pending = false
        var reason = ScriptedReply.unheard
        /// Begin of the headline, and words of the steps.
        let headline: String
        let steps: [String]

        var testDescription: String { authorization + (pending ? ", pending" : "") }

        var service: ScriptedService {
            get throws {
                let status = ScriptedReply.status(authorization, reason: reason, pending: pending)
                let refusal = ScriptedReply.notAuthorized(authorization, reason)
                return try ScriptedService([
                    "GetInfo": [ScriptedReply.info], "GetStatus": [status], "GetLocation": [refusal],
                    "Watch": [status.replacing(#""continues":false"#, by: #""continues":true"#)],
                ])
            }
        }
    }

    static let refused = [
        Case(
            authorization: "notDetermined", headline: "You may not know the position: there is no decision yet",
            steps: ["`locctl request-authorization`", "`sudo locctl authorize uid:61234`"]),
        Case(
            authorization: "notDetermined", pending: true,
            headline: "You may not know the position: your request is pending",
            steps: ["`sudo locctl authorize uid:61234`"]),
        Case(
            authorization: "restricted", reason: "/etc/locationd/policy.toml:12 forbids it",
            headline: "You may not know the position: the policy forbids it",
            steps: ["change line 12: `sudoedit /etc/locationd/policy.toml && sudo locctl reload`"]),
        Case(
            authorization: "denied",
            reason: "an administrator denied it, and allows it by `sudo locctl authorize unit:navd.service`",
            headline: "You may not know the position: it was denied",
            steps: ["`sudo locctl authorize unit:navd.service`"]),
    ]
    static let suspended = Case(
        authorization: "authorizedWhenInUse",
        reason: "nobody is here; an administrator allows it by `sudo locctl authorize uid:61234`",
        headline: "You may not know the position now (authorized when in use)",
        steps: ["`sudo locctl authorize uid:61234`"])

    @Test(.enabled(if: OtherUser.canBeBecome), arguments: [suspended])
    func statusTellsWhyAndTheNextStep(state: Case) throws {
        let answer = try state.service.locctl("status", as: .stranger)
        #expect(answer.code == 4 && answer.output.hasPrefix(state.headline), "\(answer)")
        #expect(answer.output.contains("  why         \(state.reason)\n"))
        for step in state.steps { #expect(answer.output.contains(step), "\(answer.output)") }
    }

    @Test(.enabled(if: OtherUser.canBeBecome), arguments: refused + [suspended])
    func diagnosisStopsAtThePermission(state: Case) throws {
        let answer = try state.service.locctl("diagnose", as: .stranger)
        let isSaid = state.steps.allSatisfy(state.reason.contains)
        #expect(answer.code == 4 && answer.lines.count == (isSaid ? 2 : 3), "\(answer)")
        #expect(answer.output.contains("[ok] daemon") && answer.output.contains("[!!] permission"))
        #expect(answer.output.contains(state.reason))
        #expect(answer.output.contains("request is pending") == state.pending)
        for step in state.steps { #expect(answer.lines.last?.contains(step) == true, "\(answer.output)") }
    }

    @Test(arguments: refused) func watchEndsWithTheReason(state: Case) throws {
        for command in [["watch"], ["watch", "--json"], ["record", "-"]] {
            let answer = try state.service.run(command)
            let words = "not authorized (\(state.authorization)): \(state.reason)"
            #expect(answer.code == 4 && answer.errors.contains(words), "\(answer)")
            #expect(answer.errors.contains("request-authorization") == (state.authorization == "notDetermined"))
        }
    }

    @Test(arguments: refused + [suspended]) func getTellsTheReason(state: Case) throws {
        let answer = try state.service.locctl("get")
        #expect(answer.code == 4 && answer.errors.contains(state.reason) && answer.output.isEmpty, "\(answer)")
    }

    @Test func watchStaysForWhoIsAway() throws {
        let service = try Self.suspended.service
        let child = try service.start(["watch"])
        try waitUntil("the reason is told") { child.errors.contains("-- no location now: nobody is here") }
        #expect(child.exitCode == nil)
        try service.say(ScriptedReply.location(continues: true))
        try waitUntil("a location is told") { child.output.contains("52.500000, 13.400000") }
        try service.say(ScriptedReply.status("denied", reason: "not any more", continues: true))
        let code = try withExtendedLifetime(service) { try child.wait() }
        #expect(code == 4, "who is denied meanwhile is told")
        #expect(child.errors.contains("not any more"))
    }

    @Test func reducedAccuracyIsVisible() throws {
        let status = ScriptedReply.status("authorizedAlways", reason: nil, accuracy: "reduced", source: "tracking")
        let first = status.replacing(#""continues":false"#, by: #""continues":true"#)
        let service = try ScriptedService([
            "GetInfo": [ScriptedReply.info], "GetStatus": [status], "GetLocation": [ScriptedReply.location()],
            "Watch": [first, ScriptedReply.location()],
        ])
        for command in ["status", "get", "watch", "diagnose"] {
            let answer = try service.locctl(command)
            #expect(answer.code == 0, "\(command): \(answer)")
            #expect(answer.output.contains("52.500000, 13.400000  ±3.0 km, reduced accuracy"), "\(command): \(answer)")
            if command == "watch" { #expect(answer.errors.contains("at most one in ten minutes")) }
            if command == "diagnose" { #expect(answer.output.contains("(authorized always), with reduced accuracy")) }
        }
        #expect(try service.locctl("get", "--json").object["accuracyAuthorization"] as? String == "reduced")
    }

    @Test func fullAccuracyIsNotMentioned() throws {
        let service = try ScriptedService([
            "GetStatus": [ScriptedReply.status("authorizedAlways", reason: nil, source: "tracking")],
            "GetLocation": [ScriptedReply.location()],
        ])
        let answer = try service.locctl("get")
        #expect(answer.code == 0 && answer.output.contains("±3.0 km") && !answer.output.contains("reduced"))
        #expect(try service.locctl("get", "--json").object["accuracyAuthorization"] == nil)
    }

    /// Else a rough location could be taken for an exact one.
    @Test func whoseAccuracyIsUnknownIsNotTold() throws {
        let service = try ScriptedService([
            "GetStatus": [ScriptedReply.error("org.varlink.service.MethodNotFound")],
            "GetLocation": [ScriptedReply.location()],
        ])
        let answer = try service.locctl("get")
        #expect(answer.code == 1 && answer.output.isEmpty, "\(answer)")
        #expect(service.calls.count == 1, "nothing holds up a location that is there")
    }

    @Test func switchesAnswerInJSON() throws {
        let status = ScriptedReply.status("authorizedAlways", reason: nil, enabled: false)
        let service = try ScriptedService([
            "Start": ["{}"], "Stop": ["{}"], "Disconnect": ["{}"], "SetLogLevel": ["{}"], "GetStatus": [status],
        ])
        for command in ["start", "stop"] {
            let object = try service.locctl(command, "--json").object
            #expect((object["status"] as? [String: Any])?["enabled"] as? Bool == false, "\(command)")
            #expect(try service.locctl(command).lines.count == 1)
        }
        #expect(try service.locctl("disconnect", "1", "--json").output == "{}\n")
        #expect(try service.locctl("log-level", "info", "--json").output == "{}\n")
    }
}

extension String {
    fileprivate func replacing(_ part: String, by other: String) -> String {
        split(separator: part, omittingEmptySubsequences: false).joined(separator: other)
    }
}
