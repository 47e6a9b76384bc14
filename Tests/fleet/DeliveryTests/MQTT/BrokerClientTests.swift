import Glibc
import ProgramTestSupport
import Testing

@testable import Delivery

/// What a client reports, read by one task beside the test.
final class ClientRun: Sendable {
    let client: BrokerClient
    let recorder = ValueRecorder<BrokerEvent>()

    init(_ settings: BrokerSettings, will: BrokerMessage? = nil) throws {
        guard let client = BrokerClient(settings, jitter: { 0 }, will: { will }) else { throw Failure("no thread") }
        self.client = client
    }

    /// Runs `body` while the events are recorded, and ends the client.
    func run(_ body: (ClientRun) async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [client, recorder] in
                for await event in client.events { recorder.append(event) }
            }
            defer { client.stop() }
            try await body(self)
            client.stop()
            try await group.next()
        }
        #expect(recorder.values.last == .ended)
    }

    var reasons: [String] {
        recorder.values.compactMap { if case .disconnected(let reason) = $0 { reason } else { nil } }
    }

    func awaitConnection(_ number: Int = 1) async throws {
        try await eventually("connection \(number)", details: { "\(self.recorder.values)" }) {
            self.recorder.values.contains { if case .connected(number, _, _) = $0 { true } else { false } }
        }
    }

    func awaitReason() async throws -> String {
        try await eventually("a reason") { !self.reasons.isEmpty }
        return reasons[0]
    }
}

/// A broker's address on this machine.
func settings(_ port: UInt16, host: String = "127.0.0.1", tls: Bool = false) throws -> BrokerSettings {
    let address = BrokerAddress("\(tls ? "mqtts" : "mqtt")://\(host):\(port)")
    guard let address else { throw Failure("no address") }
    var settings = BrokerSettings(BrokerAddresses(address), clientID: "test")
    settings.triesVersion5 = true
    return settings
}

/// The client with the real Mosquitto.
@Suite(.timeLimit(.minutes(10))) struct BrokerClientTests {
    private func message(_ text: String, isRetained: Bool = false) -> BrokerMessage {
        BrokerMessage(topic: "a/b", payload: Array(text.utf8), isRetained: isRetained)
    }

    @Test(arguments: [true, false]) func eachMessageIsAcknowledgedByItsNumber(isVersion5: Bool) async throws {
        let broker = try Mosquitto()
        try await broker.start()
        let subscriber = try broker.subscriber()
        try await eventually("it has subscribed") { broker.log.contains("Sending SUBACK") }
        var settings = try settings(broker.port)
        settings.triesVersion5 = isVersion5
        try await ClientRun(settings).run { run in
            try await run.awaitConnection()
            #expect(
                try run.recorder.values.first
                    == .connected(1, to: #require(BrokerAddress(broker.address)), isVersion5: isVersion5))
            for id in Int64(1)...200 { run.client.publish(message("\(id)"), id: id * 7, connection: 1) }
            try await eventually("all are acknowledged", run.recorder) { $0.count == 201 }
            #expect(run.recorder.values.dropFirst() == (1...200).map { .acknowledged($0 * 7, connection: 1) }[...])
            try await eventually("all arrive") { subscriber.received.map(\.payload) == (1...200).map { "\($0)" } }
        }
    }

    @Test(arguments: [true, false]) func refusedSubscriptionIsSaid(isVersion5: Bool) async throws {
        let broker = try Mosquitto.refusingSubscriptions()
        try await broker.start()
        var settings = try settings(broker.port)
        settings.triesVersion5 = isVersion5
        settings.subscription = "a/+"
        try await ClientRun(settings).run { run in
            let reason =
                "the broker at \(broker.address) does not allow this client to subscribe to a/+"
                + "\(isVersion5 ? " (Not authorized)" : ""); check the user name, and what the broker allows the user"
            try await eventually("it is said", run.recorder) { $0.contains(.subscriptionRefused(reason: reason)) }
            run.client.publish(message("1"), id: 1, connection: 1)
            try await eventually("the connection stays", details: { broker.log }) {
                run.recorder.values.contains(.acknowledged(1, connection: 1))
            }
        }
    }

    /// A first attempt that is refused is the one after which libmosquitto's own loop never tries again.
    @Test func brokerThatComesLaterIsFound() async throws {
        let broker = try Mosquitto()
        try await ClientRun(settings(broker.port)).run { run in
            try await eventually("two attempts") { run.reasons.count >= 2 }
            #expect(
                run.reasons[0]
                    == "nothing listens at \(broker.address) (Connection refused); start the broker, or check the port")
            try await broker.start()
            try await run.awaitConnection()
        }
    }

    /// libmosquitto keeps what it could not send, and would send it with the next connection; the outbox would too.
    @Test func messageOfABrokenConnectionIsNotSentByTheNextOne() async throws {
        let broker = try Mosquitto()
        let subscriber = try await broker.startWithSubscriber()
        try await ClientRun(settings(broker.port)).run { run in
            try await run.awaitConnection()
            broker.signal(SIGSTOP)
            for id in Int64(1)...30 { run.client.publish(message("lost \(id)"), id: id, connection: 1) }
            try await broker.end(by: SIGKILL)
            for id in Int64(31)...60 { run.client.publish(message("lost \(id)"), id: id, connection: 1) }
            _ = try await run.awaitReason()
            try await broker.start()
            try await run.awaitConnection(2)
            run.client.publish(message("stale"), id: 61, connection: 1)
            run.client.publish(message("new"), id: 62, connection: 2)
            try await eventually("the new one is acknowledged", run.recorder) {
                $0.contains(.acknowledged(62, connection: 2))
            }
            try await eventually("it arrives") { !subscriber.received.isEmpty }
            #expect(subscriber.received.map(\.payload) == ["new"])
            #expect(!run.recorder.values.contains { if case .acknowledged(..<62, _) = $0 { true } else { false } })
        }
    }

    @Test func lastWillIsForConnectionsThatBreak() async throws {
        let broker = try Mosquitto()
        try await broker.start()
        let subscriber = try broker.subscriber()
        try await eventually("it has subscribed") { broker.log.contains("Sending SUBACK") }
        let will = message("gone")
        try await ClientRun(settings(broker.port), will: will).run { try await $0.awaitConnection() }
        try await eventually("it has said good-bye") { broker.log.contains("Received DISCONNECT from test") }
        #expect(subscriber.received.isEmpty)
        try await ClientRun(settings(broker.port), will: will).run { run in
            try await run.awaitConnection()
            // A second client of the name: the broker closes the first one's connection.
            try await ClientRun(settings(broker.port)).run { try await $0.awaitConnection() }
            let reason = try await run.awaitReason()
            // A newer broker says that this is why; the older one only closes.
            #expect(reason.contains("has closed the connection") && reason.contains("client-id"), "\(reason)")
        }
        // Clients of one name may end each other's connections more than once.
        try await eventually("the will arrives") { subscriber.received.contains { $0.payload == "gone" } }
    }

    @Test func wrongPasswordAndForbiddenTopicAreSaid() async throws {
        let folder = try TemporaryFolder()
        let passwords = folder("passwords")
        #expect(
            try await ChildProcess("mosquitto_passwd", ["-c", "-b", passwords, "anna", "secret"]).outcome().code == 0)
        let acl = try folder.write("user anna\ntopic write a/b\n", to: "acl")
        let broker = try Mosquitto(["allow_anonymous false", "password_file \(passwords)", "acl_file \(acl)"])
        try await broker.start()
        var settings = try settings(broker.port)
        for login in [nil, BrokerLogin("anna\nwrong"), BrokerLogin("otto\nsecret")] {
            settings.login = login
            try await ClientRun(settings).run { run in
                let reason = try await run.awaitReason()
                #expect(
                    reason.contains(
                        "does not allow this client; check the user name and the password"))
            }
        }
        settings.login = BrokerLogin("anna\nsecret")
        try await ClientRun(settings).run { run in
            try await run.awaitConnection()
            run.client.publish(BrokerMessage(topic: "other", payload: [0x78], isRetained: false), id: 1, connection: 1)
            try await eventually("it is answered", run.recorder) { $0.count >= 2 }
            #expect(run.recorder.values[1] == .refused(1, connection: 1, reason: "Not authorized"))
        }
        // Over a connection of its own: Mosquitto 2.0.11 may break the other one.
        try await ClientRun(settings).run { run in
            try await run.awaitConnection()
            run.client.publish(message("x"), id: 2, connection: 1)
            try await eventually("it is answered", run.recorder) { $0.count >= 2 }
            #expect(run.recorder.values[1] == .acknowledged(2, connection: 1), "\(broker.log)")
        }
    }

    /// As after a router has forgotten the connection: nothing comes back, and nothing says so.
    @Test func silentConnectionIsGivenUp() async throws {
        let broker = try Mosquitto()
        try await broker.start()
        var settings = try settings(broker.port)
        settings.keepalive = 5
        try await ClientRun(settings).run { run in
            try await run.awaitConnection()
            broker.signal(SIGSTOP)
            let reason = try await run.awaitReason()
            broker.signal(SIGCONT)
            #expect(reason == "the broker at \(broker.address) does not answer any more")
            try await run.awaitConnection(2)
        }
    }

    @Test func unknownHostIsSaid() async throws {
        try await ClientRun(settings(1883, host: "no-such-host.invalid")).run { run in
            let reason = try await run.awaitReason()
            #expect(
                reason
                    == "the host name no-such-host.invalid of the broker is not known; check the name, and whether there is a "
                    + "network")
        }
    }
}
