@_spi(Programs) import LocationInterface
import ProgramTestSupport
import Testing

/// What an administrator decides: `authorize`, `deny` and `reset-authorization`.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct AuthorizationDecisionCommandTests {
    private static func change(_ connections: Int) -> [String: [String]] {
        let reply = #"{"parameters":{"principal":"uid:0","connections":\#(connections)}}"#
        return ["SetAuthorization": [reply], "ResetAuthorization": [reply]]
    }

    struct Case: Sendable {
        let arguments: [String]
        let connections: Int
        let method: String
        let parameters: String
        let line: String
    }

    @Test(arguments: [
        Case(
            arguments: ["authorize", "root"], connections: 0, method: "SetAuthorization",
            parameters: #""principal":"user:root""#, line: "uid:0 (root) is authorized always\n"),
        Case(
            arguments: ["authorize", "uid:0", "--reduced"], connections: 2, method: "SetAuthorization",
            parameters: #""accuracy":"reduced""#,
            line: "uid:0 (root) is authorized always, with reduced accuracy; 2 open connections were updated\n"),
        Case(
            arguments: ["authorize", "unit:navd.service", "--when-in-use"], connections: 0,
            method: "SetAuthorization", parameters: #""principal":"unit:navd.service""#,
            line: "uid:0 (root) is authorized when in use\n"),
        Case(
            arguments: ["authorize", "uid:0", "--this-time", "4711"], connections: 1, method: "SetAuthorization",
            parameters: #""process":4711"#,
            line: "uid:0 (root) is authorized always, in the process 4711 until that ends; "
                + "1 open connection was updated\n"),
        Case(
            arguments: ["deny", "uid:0"], connections: 1, method: "SetAuthorization",
            parameters: #""authorization":"denied""#,
            line: "uid:0 (root) is denied the position; 1 open connection was updated\n"),
        Case(
            arguments: ["reset-authorization", "uid:0"], connections: 0, method: "ResetAuthorization",
            parameters: #""principal":"uid:0""#,
            line: "uid:0 (root) was reset; the policy's default applies\n"),
    ])
    func decisionIsSentAndConfirmed(decision: Case) throws {
        let service = try ScriptedService(Self.change(decision.connections))
        let answer = try service.run(decision.arguments)
        #expect(answer.code == 0 && answer.output == decision.line, "\(answer)")
        let call = try #require(service.calls.first)
        #expect(call.contains("org.locationd.admin.\(decision.method)\""), "\(call)")
        #expect(call.contains(decision.parameters), "\(call)")
        let object = try service.run(decision.arguments + ["--json"]).object
        #expect(object["connections"] as? Int == decision.connections)
    }

    /// The level is that which needs no more than the policy that the package for desktops brings.
    @Test func ownProgramIsAllowedThisTime() throws {
        let service = try ScriptedService(["Decide": [ScriptedReply.status("authorizedWhenInUse")]])
        let answer = try service.locctl("authorize", "me", "--this-time", "4711")
        #expect(answer.code == 0, "\(answer)")
        #expect(answer.output.hasPrefix("process 4711, until it ends: "), "\(answer)")
        let call = try #require(service.calls.first)
        #expect(call.contains(#""process":4711"#), "\(call)")
        #expect(call.contains(#""authorization":"authorizedWhenInUse""#), "\(call)")
    }

    @Test func unknownPrincipalIsExplained() throws {
        let error = ScriptedReply.error("org.locationd.admin.NoSuchPrincipal", #"{"principal":"x"}"#)
        let service = try ScriptedService(["SetAuthorization": [error], "ResetAuthorization": [error]])
        let user = try service.locctl("authorize", "user:nobody-here")
        #expect(user.code == 1 && user.errors.contains("there is no user nobody-here on this machine"), "\(user)")
        let reset = try service.locctl("reset-authorization", "uid:0")
        #expect(reset.code == 1 && reset.errors.contains("nothing is known about uid:0 (root)"), "\(reset)")
        #expect(reset.errors.contains("`locctl authorizations`"), "the next step is told")
    }

    @Test func failureTellsTheReason() throws {
        let failed = ScriptedReply.error("org.locationd.admin.Failed", #"{"reason":"no space is left"}"#)
        let service = try ScriptedService(["SetAuthorization": [failed]])
        let answer = try service.locctl("deny", "uid:0")
        #expect(answer.code == 1 && answer.output.isEmpty)
        #expect(answer.errors == "locctl: cannot change uid:0 (root): no space is left\n")
    }

    @Test(.enabled(if: OtherUser.canBeBecome)) func whoMayNotIsToldTheCommand() throws {
        let open = try ScriptedService([:])
        let answer = try open.locctl("authorize", "user:it's me", "--reduced", as: .stranger)
        #expect(answer.code == 2, "a name with a space is none")
        let publicSocket = try open.locctl("authorize", "user:it's", "--reduced", as: .stranger)
        #expect(publicSocket.code == 4)
        #expect(publicSocket.errors.contains(#"`sudo locctl authorize 'user:it'\''s' --reduced`"#), "\(publicSocket)")
        let named = try open.locctl("deny", "--socket", open.socket, "uid:5", as: .stranger)
        #expect(named.code == 4 && named.errors.contains("`sudo locctl deny uid:5`"), "\(named)")

        let denied = ScriptedReply.error("org.varlink.service.PermissionDenied")
        let control = try ScriptedService(["ListAuthorizations": [denied], "GetHistory": [denied]])
        let list = try control.locctl("authorizations", as: .stranger)
        #expect(list.code == 4 && list.errors.contains("only administrators may do that"))
        #expect(list.errors.contains("`sudo locctl authorizations --socket \(control.socket)`"), "\(list)")
        #expect(try control.locctl("audit", as: .stranger).code == 4)
    }
}
