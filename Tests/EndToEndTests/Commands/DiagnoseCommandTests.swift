import Testing

/// What `diagnose` ends with.
@Suite(.onOwnThread, .timeLimit(.minutes(2)))
struct DiagnoseCommandTests {
    private let service: ScriptedService

    init() throws {
        let status = ScriptedReply.status("authorizedAlways", reason: nil, source: "tracking")
        service = try ScriptedService([
            "GetInfo": [ScriptedReply.info], "GetStatus": [status], "GetLocation": [ScriptedReply.location()],
            "ListAuthorizations": [
                ScriptedReply.error("org.locationd.admin.Failed", #"{"reason":"the decisions cannot be read"}"#)
            ],
            "Watch": [status.replacing(#""continues":false"#, with: #""continues":true"#), ScriptedReply.location()],
        ])
    }

    @Test func aBrokenLinkBesideAFixIsAFailureAndNoLackOfLocation() throws {
        let answer = try service.locctl("diagnose")
        #expect(answer.output.contains("[!!] decisions") && answer.output.contains("[ok] fix"), "\(answer)")
        #expect(answer.code == 1, "\(answer)")
    }
}
