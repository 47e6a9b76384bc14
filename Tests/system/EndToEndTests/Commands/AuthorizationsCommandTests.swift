import ClientTestSupport
@_spi(Programs) import LocationInterface
import ProgramTestSupport
import Testing

/// What an administrator reads about who may know: `authorizations` and `audit`.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct AuthorizationsCommandTests {
    private static let list = """
        {"parameters":{"authorizations":[\
        {"principal":"uid:0","authorization":"authorizedAlways","accuracy":"reduced","pending":false,\
        "decidedBy":"uid:0","decidedAt":"2026-03-02T08:00:00.000Z","connections":2},\
        {"principal":"unit:navd.service","authorization":"notDetermined","accuracy":"full","pending":true,\
        "level":"always","purpose":"steering","requestedAt":"2026-03-01T12:00:01.000Z","connections":1},\
        {"principal":"uid:61234","authorization":"authorizedWhenInUse","accuracy":"full","pending":true,\
        "level":"always","requestedAt":"2026-03-01T12:00:00.000Z","decidedBy":"uid:0",\
        "decidedAt":"2026-02-01T00:00:00.000Z","connections":0}],\
        "inactive":["/etc/locationd/policy.toml:3: this kernel does not tell units"]}}
        """

    @Test func thoseWhoWaitComeFirst() throws {
        let service = try ScriptedService(["ListAuthorizations": [Self.list]])
        let answer = try service.locctl("authorizations")
        #expect(answer.code == 0 && answer.errors.isEmpty, "\(answer)")
        let lines = answer.lines.map(String.init)
        try #require(lines.count == 6, "\(answer.output)")
        #expect(lines[0].contains("WHO") && lines[0].contains("PURPOSE"))
        #expect(lines[1].hasPrefix("*") && lines[1].contains("uid:61234 "), "who asked first comes first")
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
        let entry = """
            {"principal":"uid:61234","authorization":"authorizedWhenInUse","accuracy":"full","pending":false,\
            "decidedBy":"uid:61234 (own programs)","connections":1,"process":4711,"program":"maps” is yours"}
            """
        let service = try ScriptedService([
            "ListAuthorizations": [#"{"parameters":{"authorizations":[\#(entry)],"inactive":[]}}"#]
        ])
        let answer = try service.locctl("authorizations")
        #expect(answer.output.contains("uid:61234, process 4711 “maps' is yours”"), "\(answer)")
        #expect(answer.output.contains("authorized when in use, until it ends"), "\(answer)")
    }

    @Test func nobodyIsSaidSo() throws {
        let nobody = #"{"parameters":{"authorizations":[],"inactive":[]}}"#
        let service = try ScriptedService(["ListAuthorizations": [nobody]])
        let answer = try service.locctl("authorizations")
        #expect(answer.code == 0 && answer.lines.count == 1)
        #expect(
            answer.output.contains("There are no requests and no decisions.")
                && answer.output.contains("`locctl request-authorization`"))
    }

    /// A number that was given to another account has what was decided about the former one.
    @Test func accountThatIsAnotherNowIsToldOf() throws {
        func entry(_ uid: Int, _ account: String) -> String {
            #"{"principal":"uid:\#(uid)","authorization":"authorizedAlways","accuracy":"full","pending":false,"#
                + #""connections":0,"account":"\#(account)"}"#
        }
        let list = [entry(0, "admiral"), entry(61_234, "alice"), entry(1, "daemon")].joined(separator: ",")
        let service = try ScriptedService([
            "ListAuthorizations": [#"{"parameters":{"authorizations":[\#(list)],"inactive":[]}}"#]
        ])
        let lines = try service.locctl("authorizations").lines.map(String.init)
        try #require(lines.count == 6, "\(lines)")
        #expect(lines[4].hasPrefix("uid:0 was authorized as admiral and is root now: `locctl reset-authorization"))
        #expect(lines[5].hasPrefix("uid:61234 was authorized as alice, whose account is gone: `locctl reset-auth"))
    }

    @Test func jsonIsTheReply() throws {
        let service = try ScriptedService(["ListAuthorizations": [Self.list]])
        let object = try service.locctl("authorizations", "--json").object
        #expect((object["authorizations"] as? [Any])?.count == 3 && (object["inactive"] as? [Any])?.count == 1)
    }

    private static let records = """
        {"parameters":{"records":[\
        {"time":"2026-03-01T12:00:00.000Z","event":"requested","principal":"unit:navd.service","uid":0,"pid":77,\
        "authorization":"authorizedAlways","purpose":"steering"},\
        {"time":"2026-03-01T12:05:00.000Z","event":"granted","principal":"uid:61234",\
        "authorization":"authorizedWhenInUse","accuracy":"reduced","by":"uid:0"},\
        {"time":"2026-03-01T12:06:00.000Z","event":"forgiven","principal":"uid:61234"}]}}
        """

    @Test(arguments: [["audit"], ["authorizations", "--audit"]])
    func auditIsATable(command: [String]) throws {
        let service = try ScriptedService(["GetHistory": [Self.records]])
        let answer = try service.run(command)
        let lines = answer.lines.map(String.init)
        try #require(answer.code == 0 && lines.count == 4, "\(answer)")
        #expect(lines[0].hasPrefix("TIME  "))
        #expect(lines[1].contains("requested  unit:navd.service, uid:0 (root)  77   to be authorized always"))
        #expect(lines[1].hasSuffix("steering"))
        #expect(lines[2].contains("granted") && lines[2].contains("authorized when in use, reduced accuracy"))
        #expect(lines[2].hasSuffix("uid:0 (root)"), "who decided is named")
        #expect(lines[3].contains("unknown"), "a later version's event does not end the table")
    }

    @Test func auditAsksForOnePrincipal() throws {
        let service = try ScriptedService(["GetHistory": [#"{"parameters":{"records":[]}}"#]])
        let answer = try service.locctl("audit", "--principal", "user:root", "--limit", "5")
        #expect(answer.code == 0 && answer.output == "There are no records about uid:0 (root).\n", "\(answer)")
        let parameters = try json(service.calls.last ?? "")["parameters"] as? [String: Any]
        #expect(parameters?["principal"] as? String == "uid:0" && parameters?["limit"] as? Int == 5)
        let all = try service.locctl("audit")
        #expect(all.code == 0 && all.output.hasPrefix("There are no records of requests, decisions or deliveries."))
        #expect(try service.locctl("audit", "--json").output == "{\"records\":[]}\n")
        let stranger = try service.locctl("audit", "--principal", "user:no-such-user-here")
        #expect(stranger.code == 1 && stranger.errors.contains("there is no user no-such-user-here"))
    }

    @Test(arguments: [["--limit", "0"], ["--limit", "10001"], ["--principal", "uid:alice"]])
    func auditRefuses(arguments: [String]) throws {
        let child = try LoggedProcess(Products.command, ["audit", "--socket", "/nonexistent"] + arguments)
        #expect(try child.wait() == 2)
        #expect(child.errors.contains(arguments[0] == "--limit" ? "--limit is 1 to 10000" : "write user:alice"))
    }
}
