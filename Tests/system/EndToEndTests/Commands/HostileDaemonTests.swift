import ClientTestSupport
import Foundation
import ProgramTestSupport
import Testing

/// Whatever a daemon says, and whatever users have named, nothing of it steers the terminal of who reads it.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct HostileDaemonTests {
    /// A title, a bell, a line that seems to run the other way, an erased line, a second line, a C1 control, a tag.
    private static let text =
        #"X\u001b]0;title\u0007\u202eab\r\u001b[2K\nsecond\u009b31m\u2066\u200f\u2028\u007f\udb40\udc41Z"#

    private static let status = #"""
        {"authorization":"authorizedAlways","accuracy":"full","enabled":true,"source":"searching","reason":"\#(text)",
        "sourceName":"\#(text)","fixAge":1.5,"satellitesVisible":1,"satellitesUsed":1,"authorizationPending":false,
        "headingAvailable":true,"sources":[{"name":"\#(text)","state":"\#(text)","reason":"\#(text)"}]}
        """#

    private static let location = #"""
        {"latitude":52.5,"longitude":13.4,"horizontalAccuracy":3,"mode":"threeDimensional","age":1,"monotonicTime":1,
        "sequence":7,"source":{"name":"\#(text)","device":"\#(text)","isSimulated":false,"isReplayed":false}}
        """#

    private static let placemark = #"""
        {"latitude":52.5,"longitude":13.4,"name":"\#(text)","locality":"\#(text)","country":"\#(text)",
        "countryCode":"DE","timeZone":"\#(text)","attribution":"\#(text)","administrativeArea":"\#(text)"}
        """#

    private static func answer(_ parameters: String) -> [String] { [#"{"parameters":\#(parameters)}"#] }

    private static let answers: [String: [String]] = [
        "GetStatus": answer(#"{"status":\#(status)}"#),
        "GetLocation": answer(#"{"location":\#(location)}"#),
        "Watch": [
            #"{"parameters":{"status":\#(status)},"continues":true}"#,
            #"{"parameters":{"location":\#(location)},"continues":true}"#,
            #"{"parameters":{"satellites":[{"gnss":"\#(text)","id":1,"used":true,"signal":30}]},"continues":true}"#,
            #"{"parameters":{"location":\#(location)}}"#,
        ],
        "Monitor": [
            #"{"parameters":{"status":\#(status)},"continues":true}"#,
            #"{"parameters":{"region":{"identifier":"\#(text)","state":"inside","event":"entered"}},"continues":true}"#,
            #"{"error":"org.locationd.location.NoSuchMonitor","parameters":{"name":"\#(text)"}}"#,
        ],
        "ListMonitors": answer(
            #"""
            {"monitors":[{"name":"\#(text)","active":true,"visits":true,
            "regions":[{"identifier":"\#(text)","center":{"latitude":1,"longitude":1},"radius":5}],
            "reports":[{"identifier":"\#(text)","state":"inside"}]}]}
            """#),
    ]

    /// The administrator's method of the same name has another answer.
    private static let allMonitors = answer(
        #"""
        {"monitors":[{"name":"\#(text)","principal":"\#(text)","active":true,"authorized":true,"visits":true,"regions":1,
        "weight":1,"significantChange":false}]}
        """#)

    private static let moreAnswers: [String: [String]] = [
        "RequestAuthorization": answer(#"{"status":\#(status)}"#),
        "ListAuthorizations": answer(
            #"""
            {"inactive":["\#(text)"],"authorizations":[{"principal":"\#(text)","authorization":"denied",
            "accuracy":"full","pending":true,"connections":1,"purpose":"\#(text)","decidedBy":"\#(text)"}]}
            """#),
        "SetAuthorization": answer(#"{"principal":"\#(text)","connections":1}"#),
        "ResetAuthorization": answer(#"{"principal":"\#(text)","connections":1}"#),
        "GetHistory": answer(
            #"""
            {"records":[{"time":"2026-01-01T00:00:00.000Z","event":"requested","principal":"\#(text)",
            "purpose":"\#(text)","by":"\#(text)"}]}
            """#),
        "WatchUsage": answer(
            #"""
            {"usage":[{"user":1,"program":"\#(text)","service":"\#(text)","pid":1,"last":"2026-01-01T00:00:00.000Z",
            "locations":-1,"accuracy":"\#(text)"}]}
            """#),
        "ForgetMonitors": answer(#"{"principal":"\#(text)","forgotten":1}"#),
        "ListClients": answer(
            #"""
            {"clients":[{"id":1,"principal":"\#(text)","pid":1,"since":"2026-01-01T00:00:00.000Z","socket":"location",
            "request":"\#(text)","purpose":"\#(text)","sent":0,"dropped":0,"behind":false,"receiverTime":1e300}]}
            """#),
        "Disconnect": [#"{"error":"\#(text)","parameters":{"reason":"\#(text)"}}"#],
        "Start": [#"{"error":"org.locationd.admin.Failed","parameters":{"reason":"\#(text)"}}"#],
        "SetSource": [
            #"{"error":"org.locationd.admin.NoSuchSource","parameters":{"name":"\#(text)","known":["\#(text)"]}}"#
        ],
        "Suspend": [#"{"error":"org.locationd.admin.Failed","parameters":{"reason":"\#(text)"}}"#],
        "Resume": [#"{"error":"\#(text)","parameters":{}}"#],
        "Stop": [
            #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"\#(text)","reason":"x"}}"#
        ],
        "Reload": answer(#"{"changed":["\#(text)"],"needRestart":["\#(text)"]}"#),
        "SetLogLevel": [
            #"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"level","reason":"\#(text)"}}"#
        ],
        "GetStatistics": answer(
            #"""
            {"statistics":{"version":"\#(text)","pid":1,"uptime":1,"clients":1,"watches":1,"requests":1,"monitors":1,
            "refusedConnections":0,"fixes":1,"repeats":0,"deliveries":1,"dropped":0,"sequence":1,"demand":true,
            "receiverTime":1e300,"unclaimedReceiverTime":-1,
            "receiverShares":[{"principal":"\#(text)","receiverTime":-1e300}],
            "battery":{"level":1e300,"minimum":-1,"low":true,"faults":1},
            "sources":[{"name":"\#(text)","running":true,"enabled":false,"fixes":1,"counters":{"\#(text)":1},"reason":"\#(text)"}],
            "receivers":[{"source":"\#(text)","device":"\#(text)","followed":true,"hasFix":true}]}}
            """#),
        "GetMetrics": answer(#"{"text":"\#(text)"}"#),
        "Simulate": [#"{"error":"org.locationd.admin.Failed","parameters":{"reason":"\#(text)"}}"#],
        "GetInfo": answer(
            #"{"vendor":"\#(text)","product":"\#(text)","version":"\#(text)","url":"\#(text)","interfaces":[]}"#),
        "ReverseGeocode": answer(#"{"placemarks":[\#(placemark)]}"#),
        "Geocode": answer(#"{"placemarks":[\#(placemark)]}"#),
    ]

    private static let commands: [[String]] = [
        ["status"], ["get"], ["watch"], ["watch", "--satellites"], ["watch", "--format", "gpx"],
        ["watch", "--format", "geojson"], ["watch", "--format", "csv"], ["watch", "--format", "nmea"],
        ["monitor-region", "52.5", "13.4", "100"], ["monitor-region", "--name", "n", "52.5", "13.4", "100"],
        ["regions"],
        ["regions", "--all"], ["request-authorization"], ["authorizations"], ["authorizations", "--audit"],
        ["authorize", "uid:1"], ["deny", "uid:1"], ["reset-authorization", "uid:1"], ["audit"],
        ["usage"], ["usage", "--all"], ["forget-monitor", "uid:1"], ["clients"], ["disconnect", "1"], ["start"],
        ["stop"], ["reload"],
        ["source"], ["source", "x", "off"], ["suspend"], ["resume"],
        ["log-level", "debug"], ["statistics"], ["statistics", "--format", "prometheus"], ["diagnose"],
        ["simulate", "52.5", "13.4"],
        ["record", "-"], ["place", "52.5", "13.4"], ["place", "--find", "x"],
    ]

    /// What a terminal would obey of what was written, but for colours and other sequences of the command's own; the
    /// hostile texts have none of these forms.
    private func obeyed(_ text: String, isTerminal: Bool) -> [String] {
        // A terminal's line ends stand before those of some formats.
        var text = text.replacing("\r\r\n", with: "\n").replacing("\r\n", with: "\n")
        if isTerminal { text = text.replacing(#/\u{1b}\[[0-9;?]*[A-Za-z]/#, with: "") }
        return text.unicodeScalars.filter { scalar in
            switch scalar.properties.generalCategory {
            case .control: scalar != "\n" && scalar != "\t"
            case .format, .lineSeparator, .paragraphSeparator: true
            default: false
            }
        }.map { String($0.value, radix: 16) }
    }

    @Test(arguments: commands) func nothingSteersTheTerminal(_ command: [String]) throws {
        var answers = Self.answers.merging(Self.moreAnswers) { first, _ in first }
        if command.contains("--all") { answers["ListMonitors"] = Self.allMonitors }
        let service = try ScriptedService(answers)
        var heard = 0
        for form in [[], ["--json"]] {
            let options = form + (command.first == "place" ? ["--places-socket", service.socket] : [])
            let answer = try service.run(command + options)
            heard += (answer.output + answer.errors).contains("X") ? 1 : 0
            #expect(obeyed(answer.output, isTerminal: false) == [], "\(command) \(form): \(answer)")
            #expect(obeyed(answer.errors, isTerminal: false) == [], "\(command) \(form): \(answer)")
            let words = ([Products.command] + command + options).map { "'\($0)'" }.joined(separator: " ")
            let terminal = try LoggedProcess(
                "script", ["-qec", words, "/dev/null"],
                environment: ["LOCATIOND_SOCKET": service.socket, "TERM": "xterm", "LANG": "C.UTF-8"])
            _ = try withExtendedLifetime(service) { try terminal.wait() }
            #expect(obeyed(terminal.output, isTerminal: true) == [], "\(command) \(form): \(terminal.output)")
        }
        // Formats of locations for other programs have no texts of the daemon's.
        let hasTexts = !(command.first == "watch" && command.contains("--format"))
        #expect(heard > 0 || !hasTexts, "the hostile text is shown, escaped")
    }

    @Test func jsonMeansTheSame() throws {
        let service = try ScriptedService(Self.moreAnswers)
        let answer = try service.locctl("clients", "--json")
        let clients = try #require(answer.object["clients"] as? [[String: Any]])
        let purpose = try #require(clients.first?["purpose"] as? String)
        let sent = try JSONSerialization.jsonObject(with: Data("[\"\(Self.text)\"]".utf8)) as? [String]
        #expect(purpose == sent?.first)
    }

    /// It is said that the daemon is waited for, and that it does not answer.
    @Test(arguments: [["status"], ["clients", "--json"], ["regions"], ["get", "--timeout", "0"]])
    func silentDaemonIsNotWaitedForLong(_ command: [String]) throws {
        let service = try ScriptedService([
            "GetStatus": [], "ListClients": [], "ListMonitors": [], "GetLocation": [],
        ])
        let start = ContinuousClock.now
        let answer = try service.run(command)
        #expect(answer.code == 3, "\(answer)")
        let lines = answer.errors.split(separator: "\n")
        #expect(lines.first == "locctl: waiting for the daemon at \(service.socket), which does not answer")
        #expect(lines.count == 2 && answer.errors.contains("no answer; `journalctl -u locationd`"), "\(answer)")
        // Five seconds on an idle machine.
        #expect(ContinuousClock.now - start < .seconds(19))
    }
}
