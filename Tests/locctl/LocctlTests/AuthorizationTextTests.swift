import Foundation
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import Testing

@testable import locctl

/// What an administrator reads of requests, decisions and records, and a program's user of its own permission.
@Suite struct AuthorizationTextTests {
    private func lines(_ entries: String, inactive: String = "") throws -> [String] {
        let text = #"{"authorizations":[\#(entries)],"inactive":[\#(inactive)]}"#
        let list = try JSONDecoder().decode(AuthorizationList.self, from: Data(text.utf8))
        return AuthorizationText.lines(list) { [0: "root", 1: "daemon"][$0] }
    }

    @Test func pendingRequestsComeFirst() throws {
        let lines = try lines(
            """
            {"principal":"uid:0","authorization":"authorizedAlways","accuracy":"reduced","pending":false,\
            "decidedBy":"uid:0","decidedAt":"2026-03-02T08:00:00.000Z","connections":2},\
            {"principal":"unit:navd.service","authorization":"notDetermined","accuracy":"full","pending":true,\
            "level":"always","purpose":"steering","requestedAt":"2026-03-01T12:00:01.000Z","connections":1},\
            {"principal":"uid:61234","authorization":"authorizedWhenInUse","accuracy":"full","pending":true,\
            "level":"always","requestedAt":"2026-03-01T12:00:00.000Z","decidedBy":"uid:0",\
            "decidedAt":"2026-02-01T00:00:00.000Z","connections":0}
            """, inactive: #""/etc/locationd/policy.toml:3: this kernel does not tell units""#)
        try #require(lines.count == 6, "\(lines)")
        #expect(lines[0].contains("WHO") && lines[0].contains("PURPOSE"))
        #expect(lines[1].hasPrefix("*") && lines[1].contains("uid:61234 "), "the oldest request comes first")
        #expect(lines[1].contains("authorized when in use") && lines[1].contains("2026-03-01 12:00:00"))
        #expect(lines[2].hasPrefix("*") && lines[2].contains("unit:navd.service") && lines[2].hasSuffix("steering"))
        #expect(lines[2].contains("not determined") && lines[2].contains("always"))
        #expect(lines[3].hasPrefix(" ") && lines[3].contains("uid:0 (root)"), "a user is named")
        #expect(lines[3].contains("authorized always, reduced accuracy") && lines[3].contains("2026-03-02 08:00:00"))
        #expect(lines[4].hasPrefix("* waits") && lines[4].contains("`locctl authorize uid:61234`"))
        #expect(
            lines[5] == "has no effect on this machine: /etc/locationd/policy.toml:3: this kernel does not tell units")
    }

    @Test func decisionAboutOneProcessIsNamed() throws {
        let lines = try lines(
            """
            {"principal":"uid:61234","authorization":"authorizedWhenInUse","accuracy":"full","pending":false,\
            "decidedBy":"uid:61234 (own programs)","connections":1,"process":4711,"program":"maps” is yours"}
            """)
        #expect(lines.last?.contains("uid:61234, process 4711 “maps' is yours”") == true, "\(lines)")
        #expect(lines.last?.contains("authorized when in use, until it ends") == true, "\(lines)")
    }

    @Test func emptyListSaysSoWithTheNextStep() throws {
        let lines = try lines("")
        #expect(lines.count == 1 && lines[0].contains("There are no requests and no decisions."))
        #expect(lines[0].contains("`locctl request-authorization`"))
    }

    /// A number that was given to another account has what was decided about the former one.
    @Test func numberOfAnotherAccountIsWarnedOf() throws {
        func entry(_ uid: Int, _ account: String) -> String {
            #"{"principal":"uid:\#(uid)","authorization":"authorizedAlways","accuracy":"full","pending":false,"#
                + #""connections":0,"account":"\#(account)"}"#
        }
        let lines = try lines([entry(0, "admiral"), entry(61_234, "alice"), entry(1, "daemon")].joined(separator: ","))
        try #require(lines.count == 6, "\(lines)")
        #expect(lines[4].hasPrefix("uid:0 was authorized as admiral and is root now: `locctl reset-authorization"))
        #expect(lines[5].hasPrefix("uid:61234 was authorized as alice, whose account is gone: `locctl reset-auth"))
    }

    @Test func recordsAreATable() throws {
        let text = """
            {"records":[\
            {"time":"2026-03-01T12:00:00.000Z","event":"requested","principal":"unit:navd.service","uid":0,"pid":77,\
            "authorization":"authorizedAlways","purpose":"steering"},\
            {"time":"2026-03-01T12:05:00.000Z","event":"granted","principal":"uid:61234",\
            "authorization":"authorizedWhenInUse","accuracy":"reduced","by":"uid:0"},\
            {"time":"2026-03-01T12:06:00.000Z","event":"forgiven","principal":"uid:61234"}]}
            """
        let records = try JSONDecoder().decode(AuditReply.self, from: Data(text.utf8)).records
        let lines = AuditText.lines(records, of: nil)
        try #require(lines.count == 4, "\(lines)")
        #expect(lines[0].hasPrefix("TIME  "))
        #expect(lines[1].contains("requested  unit:navd.service, uid:0 (root)  77   to be authorized always"))
        #expect(lines[1].hasSuffix("steering"))
        #expect(lines[2].contains("granted") && lines[2].contains("authorized when in use, reduced accuracy"))
        #expect(lines[2].hasSuffix("uid:0 (root)"), "the administrator who decided is named")
        #expect(lines[3].contains("unknown"), "a later version's event does not end the table")
        #expect(AuditText.lines([], of: "uid:0") == ["There are no records about uid:0 (root)."])
        #expect(AuditText.lines([], of: nil) == ["There are no records of requests, decisions or deliveries."])
    }

    @Test(arguments: [
        (0, "uid:0 (root) is denied"), (1, "uid:0 (root) is denied; 1 open connection was updated"),
        (2, "uid:0 (root) is denied; 2 open connections were updated"),
    ])
    func outcomeCountsOpenConnections(connections: Int, line: String) throws {
        let text = #"{"principal":"uid:0","connections":\#(connections)}"#
        let change = try JSONDecoder().decode(AuthorizationChange.self, from: Data(text.utf8))
        #expect(AuthorizationText.outcome(change, "is denied") == line)
    }

    struct Refusal: Sendable {
        let authorization: AuthorizationStatus
        var pending = false
        var reason = "the daemon's own words"
        let headline: String
        let steps: [String]
    }

    @Test(arguments: [
        Refusal(
            authorization: .notDetermined, headline: "You may not know the position: there is no decision yet",
            steps: ["`locctl request-authorization`", "`sudo locctl authorize \(PrincipalText.caller)`"]),
        Refusal(
            authorization: .notDetermined, pending: true,
            headline: "You may not know the position: your request is pending",
            steps: ["`sudo locctl authorize \(PrincipalText.caller)`"]),
        Refusal(
            authorization: .restricted, reason: "/etc/locationd/policy.toml:12 forbids it",
            headline: "You may not know the position: the policy forbids it",
            steps: ["change line 12: `sudoedit /etc/locationd/policy.toml && sudo locctl reload`"]),
        Refusal(
            authorization: .denied, reason: "an administrator allows it by `sudo locctl authorize unit:navd.service`",
            headline: "You may not know the position: it was denied",
            steps: ["`sudo locctl authorize unit:navd.service`"]),
    ])
    func statusSaysWhyAndTheNextStepOnce(refusal: Refusal) {
        var status = MonitorSamples.status(.stopped, reason: refusal.reason)
        (status.authorization, status.authorizationPending) = (refusal.authorization, refusal.pending)
        let lines = StatusText.lines(CallerStatus(status: status, location: nil), MonitorSamples.clock)
        #expect(lines[0].hasPrefix(refusal.headline) && lines.contains("  why         \(refusal.reason)"), "\(lines)")
        let text = lines.joined(separator: "\n")
        for step in refusal.steps { #expect(text.split(separator: step, omittingEmptySubsequences: false).count == 2) }
        #expect(!text.contains("adduser"), "only the daemon gives advice about the group")
    }
}
