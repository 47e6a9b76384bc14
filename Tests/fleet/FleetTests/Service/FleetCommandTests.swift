import ClientTestSupport
import Foundation
import Glibc
import ProgramTestSupport
import Testing

/// `locctl fleet` with the real Mosquitto: the built programs as a user starts them.
@Suite(.timeLimit(.minutes(10))) struct FleetCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func fleet(_ arguments: String...) async throws -> ChildProcess.Outcome {
        try await ChildProcess(Products.command, ["fleet"] + arguments).outcome()
    }

    private func publish(_ broker: Mosquitto, _ topic: String, _ payload: String, _ flags: String...) async throws {
        let arguments = ["-p", "\(broker.port)", "-q", "1", "-t", topic, "-m", payload] + flags
        let outcome = try await ChildProcess("mosquitto_pub", arguments).outcome()
        guard outcome.code == 0 else { throw Failure(outcome.output) }
    }

    /// A broker that keeps the positions of two boats, and what somebody else has published.
    private func brokerOfTwoBoats() async throws -> Mosquitto {
        let broker = try Mosquitto()
        try await broker.start()
        let now = Int(Date().timeIntervalSince1970)
        for (device, payload) in [
            ("anna/boat", #"{"_type":"location","lat":54.3233,"lon":10.1394,"tst":\#(now - 7200),"acc":5,"vel":12}"#),
            ("otto/yacht", #"{"_type":"location","lat":53.5,"lon":9.9,"tst":\#(now),"batt":80,"simulated":true}"#),
            ("evil/garbage", "\u{7f}no JSON"), ("evil/pole", #"{"_type":"location","lat":91,"lon":2,"tst":\#(now)}"#),
            (
                "evil/event",
                #"{"_type":"transition","event":"enter","desc":"\u001b[31mred","lat":1,"lon":2,"acc":3,"tst":\#(now)}"#
            ),
        ] { try await publish(broker, "owntracks/\(device)", payload, "-r") }
        return broker
    }

    @Test func tableHasEachDeviceAndTheAgeOfItsFix() async throws {
        let broker = try await brokerOfTwoBoats()
        let outcome = try await fleet("--broker", broker.address)
        #expect(outcome.code == 0, "\(outcome)")
        #expect(outcome.output.contains(/anna\/boat +54\.32330, 10\.13940 +±5\.0 m +12 km\/h +2 h/), "\(outcome)")
        #expect(
            outcome.output.contains(/otto\/yacht +53\.50000, 9\.90000 +- +- +\d+ s +80 % +simulated/), "\(outcome)")
        #expect(outcome.output.contains("entered \\u{1b}[31mred"), "what others write is escaped: \(outcome)")
        #expect(!outcome.output.contains("\u{1b}") && !outcome.output.contains("evil/pole"))
        #expect(outcome.output.contains("2 messages were ignored"), "\(outcome)")
    }

    @Test func formatsAreForPrograms() async throws {
        let broker = try await brokerOfTwoBoats()
        let map = try await fleet("--broker", broker.address, "--topic", "owntracks/+/boat", "--format", "geojson")
        let collection = try JSONSerialization.jsonObject(with: Data(map.output.utf8)) as? [String: Any]
        let features = try #require(collection?["features"] as? [[String: Any]])
        #expect(map.code == 0 && collection?["type"] as? String == "FeatureCollection" && features.count == 1)
        let point = features[0]["geometry"] as? [String: Any]
        #expect(point?["coordinates"] as? [Double] == [10.1394, 54.3233])
        let lines = try await fleet("--broker", broker.address, "--topic", "owntracks/+/boat", "--format", "geojsonl")
        let line = try JSONSerialization.jsonObject(with: Data(lines.output.utf8)) as? [String: Any]
        #expect(lines.code == 0 && line?["type"] as? String == "Feature", "\(lines)")
        let answer = try await fleet("--broker", broker.address, "--json")
        let object = try JSONSerialization.jsonObject(with: Data(answer.output.utf8)) as? [String: Any]
        #expect(object?["ignored"] as? Int == 2)
        #expect((object?["devices"] as? [String: Any])?.keys.sorted() == ["anna/boat", "evil/event", "otto/yacht"])
    }

    /// Two boats of the real program; the command, and the program that it has started, end when they are asked to.
    @Test(arguments: [SIGTERM, SIGKILL]) func reportsAreFollowedUntilTheEnd(signal: Int32) async throws {
        let broker = try Mosquitto()
        try await broker.start()
        let machines = try await [FleetMachine(broker: broker.address), FleetMachine(broker: broker.address)]
        let boats = try [machines[0].start(), machines[1].start(["--device", "yacht"])]
        let command = try LoggedProcess(
            Products.command,
            ["fleet", "--broker", broker.address, "--follow", "--format", signal == SIGTERM ? "geojson" : "geojsonl"])
        func features(of device: String) -> Int {
            command.output.split(separator: "\n").count {
                $0.drop { $0 == "," }.hasPrefix(#"{"geometry":{"coordinates":["#)
                    && $0.contains("\"device\":\"anna/\(device)\"")
            }
        }
        try await eventually("both are seen", details: { command.output + command.errors }) {
            features(of: "boat") >= 3 && features(of: "yacht") >= 3
        }
        #expect(!broker.log.contains("already connected"), "nobody is disconnected by it")
        command.signal(signal)
        #expect(try await blocking { try command.wait() } == (signal == SIGTERM ? 0 : -SIGKILL), "\(command.errors)")
        if signal == SIGTERM {
            let document = try JSONSerialization.jsonObject(with: Data(command.output.utf8)) as? [String: Any]
            #expect(document?["type"] as? String == "FeatureCollection")
            #expect(try #require(document?["features"] as? [Any]).count >= 6)
        }
        try await eventually("its connection is closed", details: { broker.log }) {
            broker.log.contains(/Client locationd-list-[0-9a-f]+ (closed its connection|disconnected)/)
        }
        withExtendedLifetime(boats) {}
    }

    @Test func lastWillIsShownOnTheTerminal() async throws {
        let broker = try Mosquitto()
        try await broker.start()
        let machine = try await FleetMachine(broker: broker.address)
        let boat = try machine.start()
        let screen = try LoggedProcess(
            "script", ["-qefc", "\(Products.command) fleet --broker \(broker.address) --follow", "/dev/null"],
            environment: ["TERM": "xterm", "LANG": "C.UTF-8"])
        try await eventually("the boat is shown", details: { screen.output }) {
            screen.output.contains("anna/boat") && screen.output.contains("simulated")
        }
        boat.signal(SIGKILL)
        try await eventually("it is gone", details: { screen.output }) { screen.output.contains("gone, simulated") }
        screen.signal(SIGTERM)
        _ = try await blocking { try screen.wait() }
    }

    @Test func whatIsWrongIsSaid() async throws {
        let folder = try TemporaryFolder()
        let made = try await ChildProcess(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj",
                "/CN=localhost", "-keyout", folder("key.pem"), "-out", folder("certificate.pem"),
            ]
        ).outcome()
        try #require(made.code == 0, "\(made.output)")
        let broker = try Mosquitto([
            "allow_anonymous true", "certfile \(folder("certificate.pem"))", "keyfile \(folder("key.pem"))",
        ])
        try await broker.start()
        let plain = try Mosquitto(["allow_anonymous true"])
        try await plain.start()
        for (arguments, code, words) in [
            (["--broker", "mqtts://127.0.0.1:\(broker.port)"], Int32(1), "cannot be verified; check ca-file"),
            (
                ["--broker", "mqtts://127.0.0.1:\(plain.port)"], 1,
                "there is no TLS at 127.0.0.1:\(plain.port); use mqtt://, or the port that has TLS"
            ),
            (["--broker", "mqtt://127.0.0.1:1"], 1, "nothing listens at mqtt://127.0.0.1:1"),
            (["--broker", "http://b"], 2, "use mqtt://HOST:PORT"),
            (["--broker", "mqtt://b", "--password-file", folder("absent")], 2, "check the path after --password-file"),
            (["--topic", "a/#/b"], 2, "--topic is a filter of topics"), (["--wait", "0"], 2, "--wait is 0.1 to 3600"),
            (["--json", "--format", "geojson"], 2, "--format cannot be used with --json"),
        ] {
            let outcome = try await ChildProcess(Products.command, ["fleet"] + arguments).outcome()
            #expect(outcome.code == code && outcome.output.contains(words), "\(arguments) \(outcome)")
        }
    }

    /// The connection is there, and no device would be seen for ever.
    @Test func brokerThatAllowsNoSubscriptionIsSaid() async throws {
        let broker = try Mosquitto.refusingSubscriptions()
        try await broker.start()
        let outcome = try await fleet("--broker", broker.address, "--wait", "3600")
        #expect(
            outcome.code == 1 && outcome.output.contains("does not allow this client to subscribe to owntracks/+/+"),
            "\(outcome)")
        let machine = try await FleetMachine(broker: broker.address, "[broker]\nremote-commands = true")
        let receiver = try NotificationReceiver(folder("notify"))
        let boat = try machine.start(environment: ["NOTIFY_SOCKET": receiver.address])
        try await eventually("the service says it too", details: { "\(receiver.messages) \(boat.errors)" }) {
            receiver.messages.last?.contains(
                /^STATUS=degraded: connected .* remote commands are not received: the broker at/) == true
        }
        #expect(boat.errors.contains("warning: remote commands are not received"), "\(boat.errors)")
    }

    /// Another broker's file is of no use.
    @Test func fileIsReadOnlyIfTheBrokerIsInIt() async throws {
        let program = Products.path(of: "locationd-fleet")
        let wrong = try folder.write("[broker]\nurl = 7\n", to: "wrong.toml")
        let without = try await ChildProcess(program, ["--config", wrong, "--list-devices"]).outcome()
        #expect(without.code == 2 && without.output.contains("wrong.toml:2: broker.url:"), "\(without)")
        let list = "\(program) --config \(wrong) --list-devices --broker mqtt://127.0.0.1:1 | head -n 1"
        let with = try await ChildProcess("sh", ["-c", list]).outcome()
        #expect(with.output.contains("nothing listens at mqtt://127.0.0.1:1"), "\(with)")
    }

    /// A reader that stops for a while, such as a command that was suspended, must not make the program grow.
    @Test func oldestMessagesAreDroppedWhileNobodyReads() async throws {
        let broker = try Mosquitto()
        try await broker.start()
        let (count, size) = (20_000, 2000)
        try folder.write(String(repeating: String(repeating: "x", count: size) + "\n", count: count), to: "flood")
        let made = try await ChildProcess("mkfifo", [folder("go")]).outcome()
        try #require(made.code == 0, "\(made)")
        let list = "\(Products.path(of: "locationd-fleet")) --list-devices --broker \(broker.address)"
        let reader = try LoggedProcess(
            "bash", ["-c", "\(list) | { read -r line; read -r word <\(folder("go")); sed -u /otto.last/q; }"])
        try await eventually("it has subscribed", details: { broker.log + reader.errors }) {
            broker.log.contains("Sending SUBACK to locationd-list")
        }
        let flood = "mosquitto_pub -p \(broker.port) -q 1 -t owntracks/a/flood -l <\(folder("flood"))"
        let outcome = try await ChildProcess("sh", ["-c", flood]).outcome()
        try #require(outcome.code == 0, "\(outcome)")
        try await publish(broker, "owntracks/otto/last", #"{"_type":"location","lat":1,"lon":2,"tst":1772366400}"#)
        try await eventually("the broker has sent all") {
            broker.log.contains(/Sending PUBLISH to locationd-list-[0-9a-f]+ .*owntracks\/otto\/last/)
        }
        try "go\n".write(toFile: folder("go"), atomically: false, encoding: .utf8)
        try await eventually("the newest is there", details: { reader.errors }) { reader.output.contains("otto/last") }
        let dropped = reader.output.matches(of: /"dropped":(\d+)/).compactMap { Int($0.1) }.last
        // What the pipes and the sockets hold is read later.
        #expect(try #require(dropped) > count / 2)
        // Its reader has ended, and so it ends too.
        #expect(try await blocking { try reader.wait() } == 0)
    }

    /// Without the other package: `locctl` alone, in a folder of its own.
    @Test(.enabled(if: access("/usr/sbin/locationd-fleet", F_OK) != 0, "the package is installed"))
    func absentProgramIsSaid() async throws {
        #expect(try await ChildProcess("cp", [Products.command, folder("locctl")]).outcome().code == 0)
        let outcome = try await ChildProcess(folder("locctl"), ["fleet", "--broker", "mqtt://b"]).outcome()
        #expect(
            outcome.code == 1
                && outcome.output == "locctl: locationd-fleet is not installed; install the package locationd-fleet\n",
            "\(outcome)")
    }
}
