import Foundation
import Glibc
import ProgramTestSupport
import Testing

/// What the built program publishes, judged by a validator of JSON Schema and schemas that say what OwnTracks and Home
/// Assistant expect (`Tests/fleet/Schemas`).
@Suite(.timeLimit(.minutes(10))) struct MessageSchemaTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// What is wrong with messages, each a topic, a space and a payload; nothing, if all is well.
    private func mistakes(in messages: [String]) async throws -> String {
        let script = Repository.root.appending(path: "Tests/fleet/Schemas/check.py").path
        let file = try folder.write(messages.map { $0 + "\n" }.joined(), to: "messages")
        let outcome = try await ChildProcess(
            "sh", ["-c", #"exec /usr/bin/python3 "$0" < "$1""#, script, file]
        ).outcome()
        let output = outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(output.isEmpty == (outcome.code == 0), "\(outcome)")
        return output
    }

    @Test func allThatIsPublishedIsValid() async throws {
        let broker = try Mosquitto()
        try await broker.start()
        let subscriber = try broker.subscriber()
        let machine = try await FleetMachine(
            broker: broker.address,
            """
            [broker]
            remote-commands = true
            [messages]
            home-assistant = true
            [[regions]]
            name = "start \\"Süd\\""
            latitude = -0.22
            longitude = -78.5125
            radius = 50
            """)
        let fleet = try machine.start()
        func count(_ topic: String, _ type: String? = nil) -> Int {
            subscriber.received.count { $0.topic == topic && (type == nil || $0.member("_type") as? String == type) }
        }
        try await eventually("locations come", details: { fleet.errors }) { count("owntracks/anna/boat") >= 20 }
        for action in ["status", "reportLocation"] {
            // One a second is carried out.
            try await eventually("\(action) is answered", details: { fleet.errors }) {
                let payload = #"{"_type":"cmd","action":"\#(action)"}"#
                let sent = try await ChildProcess(
                    "mosquitto_pub",
                    ["-p", "\(broker.port)", "-q", "1", "-t", "owntracks/anna/boat/cmd", "-m", payload]
                ).outcome()
                return sent.code == 0
                    && subscriber.received.contains {
                        action == "status" ? $0.topic.hasSuffix("/status") : $0.member("t") as? String == "r"
                    }
            }
        }
        try await eventually("a region is left", details: { fleet.errors }) { count("owntracks/anna/boat/event") >= 1 }
        fleet.signal(SIGKILL)
        try await eventually("the last will comes") { count("owntracks/anna/boat", "lwt") == 1 }
        #expect(count("homeassistant/device_tracker/locationd_anna_boat/config") >= 1)
        #expect(count("locationd/anna/boat/attributes") >= 20)
        let messages = subscriber.received.map { "\($0.topic) \($0.payload)" }
        #expect(try await mistakes(in: messages) == "")
    }

    /// Each differs in one member from a valid message, and is found.
    @Test(
        arguments: [
            (#"owntracks/a/b {"_type":"location","lat":1,"lon":2}"#, "'tst' is a required property"),
            (
                #"owntracks/a/b {"_type":"location","lat":91,"lon":2,"tst":1772366400}"#,
                "91 is greater than the maximum"
            ),
            (
                #"owntracks/a/b {"_type":"location","lat":1,"lon":2,"tst":1772366400,"acc":4.5}"#,
                "4.5 is not of type 'integer'"
            ),
            (
                #"owntracks/a/b {"_type":"location","lat":1,"lon":2,"tst":1772366400,"vel":-1}"#,
                "-1 is less than the minimum"
            ),
            (#"owntracks/a/b {"_type":"location","lat":1,"lon":2,"tst":"1772366400"}"#, "is not of type 'integer'"),
            (
                #"owntracks/a/b {"_type":"location","lat":1,"lon":2,"tst":1772366400,"speed":1}"#,
                "'speed' was unexpected"
            ),
            (#"owntracks/a/b {"_type":"location","lat":1,"lon":2,"tst":1772366400,"tid":"abc"}"#, "'abc' is too long"),
            (#"owntracks/a/b {"_type":"lwt"}"#, "'tst' is a required property"),
            (#"owntracks/a/b {"_type":"place"}"#, "'location' was expected"),
            (
                #"owntracks/a/b/event {"_type":"transition","event":"pass","lat":1,"lon":2,"acc":1,"tst":1772366400,"wtst":1772366400}"#,
                "'pass' is not one of"
            ),
            (
                #"owntracks/a/b/event {"_type":"transition","event":"enter","lat":1,"lon":2,"tst":1772366400,"wtst":1772366400}"#,
                "'acc' is a required property"
            ),
            (#"owntracks/a/b/cmd {"_type":"cmd"}"#, "'action' is a required property"),
            (#"owntracks/a/b/status {"_type":"status","tst":1772366400}"#, "'locationd' is a required property"),
            (
                #"homeassistant/device_tracker/a/config {"unique_id":"a","device":{"identifiers":["a"]}}"#,
                "'json_attributes_topic' is a required property"
            ),
            (
                #"homeassistant/device_tracker/a/config {"unique_id":"a","json_attributes_topic":"a","device":{"identifiers":[]}}"#,
                "identifiers"
            ),
            (#"locationd/a/b/attributes {"latitude":1}"#, "'longitude' is a required property"),
            (#"owntracks/a/b {"_type":"location""#, "delimiter"),
            (#"other/topic {}"#, "is no topic of these forms"),
        ])
    func wrongMessageIsFound(message: String, mistake: String) async throws {
        #expect(try await mistakes(in: [message]).contains(mistake))
    }
}
