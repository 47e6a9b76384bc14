import Foundation
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import Testing

/// What `diagnose` ends with.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
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

    @Test func anAdministratorWithoutPermissionHearsOfTheOtherLinks() throws {
        var statistics = Statistics()
        statistics.sources = [
            SourceReport(name: "roof", running: true, fixes: 0, counters: [:], reason: "nothing listens on roof:2947")
        ]
        let reply = String(decoding: try JSONEncoder().encode(StatisticsReply(statistics: statistics)), as: UTF8.self)
        let undecided = AuthorizationReport(principal: "uid:4000001", authorization: .notDetermined, pending: true)
        let list = try JSONEncoder().encode(AuthorizationList(authorizations: [undecided]))
        let service = try ScriptedService([
            "GetInfo": [ScriptedReply.info], "GetStatus": [ScriptedReply.status("denied")],
            "GetStatistics": [#"{"parameters":\#(reply)}"#],
            "ListAuthorizations": [#"{"parameters":\#(String(decoding: list, as: UTF8.self))}"#],
        ])
        let answer = try service.locctl("diagnose")
        #expect(answer.code == 4, "\(answer)")
        for line in [
            "[!!] permission", "[--] requests    1 waits for a decision", "[ok] switch",
            "[!!] source      roof: nothing listens",
        ] { #expect(answer.output.contains(line), "\(line): \(answer.output)") }
        #expect(!service.calls.contains { $0.hasSuffix("Watch") }, "nothing is requested without permission")
    }
}
