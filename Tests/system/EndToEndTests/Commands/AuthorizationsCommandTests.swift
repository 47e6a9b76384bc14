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
        "decidedBy":"uid:0","decidedAt":"2026-03-02T08:00:00.000Z","connections":2}],\
        "inactive":["/etc/locationd/policy.toml:3: this kernel does not tell units"]}}
        """

    @Test func tableIsTheDefaultAndJSONTheReply() throws {
        let service = try ScriptedService(["ListAuthorizations": [Self.list]])
        let table = try service.locctl("authorizations")
        #expect(table.code == 0 && table.errors.isEmpty && table.lines.count == 3, "\(table)")
        let object = try service.locctl("authorizations", "--json").object
        #expect((object["authorizations"] as? [Any])?.count == 1 && (object["inactive"] as? [Any])?.count == 1)
    }

    @Test(arguments: [["audit"], ["authorizations", "--audit"]]) func auditIsATable(command: [String]) throws {
        let record = #"{"time":"2026-03-01T12:05:00.000Z","event":"granted","principal":"uid:61234"}"#
        let service = try ScriptedService(["GetHistory": [#"{"parameters":{"records":[\#(record)]}}"#]])
        let answer = try service.run(command)
        #expect(answer.code == 0 && answer.lines.count == 2 && answer.lines[1].contains("granted"), "\(answer)")
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
}
