import ClientTestSupport
import Glibc
@_spi(Programs) import LocationInterface
import ProgramTestSupport
import Testing

/// What a request for one location prints while it waits, and at its end.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct GetCommandTests {
    private static let best = #"{"best":{"# + ScriptedReply.reducedLocation.dropFirst(#""location":{"#.count) + "}"
    private static let tracking = ScriptedReply.status("authorizedAlways", reason: nil, source: "tracking")

    @Test(arguments: [[], ["--json"]]) func reasonIsSaidWhileItWaits(options: [String]) throws {
        let status = ScriptedReply.status(
            "authorizedAlways", reason: "nothing listens on 127.0.0.1:1", source: "unavailable")
        let service = try ScriptedService(["GetStatus": [status], "GetLocation": []])
        let child = try service.start(["get", "--timeout", "600"] + options)
        try waitUntil("the reason is said", details: { child.errors }) { child.errors.hasSuffix("\n") }
        #expect(
            child.errors
                == "-- no source can be used: nothing listens on 127.0.0.1:1; waiting for a location, 10 min at most\n")
        #expect(child.output.isEmpty)
        // Until the connection that was told the reason has ended, it is the last one; at the end there is none.
        let code = try waitUntil("the location is printed", details: { child.errors }) {
            try? service.say(ScriptedReply.location())
            return child.exitCode
        }
        #expect(code == 0 && child.output.contains("52.5"), "\(child.output)")
    }

    @Test func nothingIsSaidOfALocationThatComesAtOnce() throws {
        let service = try ScriptedService([
            "GetStatus": [Self.tracking], "GetLocation": [ScriptedReply.location()],
        ])
        let answer = try service.locctl("get")
        #expect(answer.code == 0 && answer.errors.isEmpty && service.calls.count == 2, "\(answer)")
    }

    @Test(arguments: ["TimedOut", "LocationUnavailable"])
    func bestLocationIsTheAnswerWhereTheAccuracyIsDesiredAndNoAnswerWhereItIsRequired(error: String) throws {
        let reason = error == "TimedOut" ? Self.best : #"{"reason":"out of order","# + Self.best.dropFirst()
        let service = try ScriptedService([
            "GetStatus": [Self.tracking],
            "GetLocation": [ScriptedReply.error("org.locationd.location.\(error)", reason)],
        ])
        let desired = try service.locctl("get", "--desired-accuracy", "100")
        #expect(desired.code == 0 && desired.errors.isEmpty, "\(desired)")
        #expect(desired.lines.count == 1 && desired.output.contains("52.500000, 13.400000  ±3.0 km"), "\(desired)")
        #expect(service.calls.last?.contains(#""requiredAccuracy":100"#) == true, "\(service.calls)")
        let json = try service.locctl("get", "--desired-accuracy", "100", "--json")
        #expect(try json.code == 0 && json.object["horizontalAccuracy"] as? Double == 3000, "\(json)")
        let required = try service.locctl("get", "--accuracy", "100")
        #expect(required.code == 5 && required.output.isEmpty, "\(required)")
    }

    @Test func withoutAnyLocationNoneIsPrinted() throws {
        let service = try ScriptedService([
            "GetStatus": [Self.tracking],
            "GetLocation": [ScriptedReply.error("org.locationd.location.TimedOut")],
        ])
        let answer = try service.locctl("get", "--desired-accuracy", "100", "--passive")
        #expect(answer.code == 5 && answer.output.isEmpty && answer.errors.contains("came in time"), "\(answer)")
    }
}
