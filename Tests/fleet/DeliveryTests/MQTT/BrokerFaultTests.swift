import ProgramTestSupport
import Testing

@testable import Delivery

/// Brokers that do not keep to the protocol, or are none.
@Suite(.timeLimit(.minutes(10))) struct BrokerFaultTests {
    /// The version of MQTT in the request to connect: 5, or 4 for 3.1.1.
    private static func level(_ request: [UInt8]) -> UInt8? { request.count > 8 ? request[8] : nil }

    @Test(
        arguments: [
            Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            [0x20, 0x7F], [0x00, 0x00], [0x30, 0xFF, 0xFF, 0xFF, 0x7F], [0x20, 0x00],
        ] as [[UInt8]])
    func garbageIsSaidAndTriedAgain(answer: [UInt8]) async throws {
        let broker = try ScriptedBroker { _ in answer }
        var settings = try settings(broker.port)
        settings.connectTimeout = 0.2
        try await ClientRun(settings).run { run in
            try await eventually("three attempts") { run.reasons.count >= 3 }
            for reason in run.reasons {
                #expect(
                    reason.contains("is no broker of MQTT") || reason.contains("does not answer")
                        || reason.contains("closes the connection before it answers"), "\(reason)")
            }
        }
    }

    @Test func silentBrokerIsGivenUp() async throws {
        let broker = try ScriptedBroker { _ in [] }
        var settings = try settings(broker.port)
        settings.connectTimeout = 0.2
        try await ClientRun(settings).run { run in
            let reason = try await run.awaitReason()
            #expect(
                reason
                    == "the broker at mqtt://127.0.0.1:\(broker.port) does not answer; check the port, and whether it expects TLS "
                    + "(mqtts://)")
        }
    }

    @Test(arguments: [[0x20, 0x02, 0x00, 0x01], [0x20, 0x03, 0x00, 0x84, 0x00], nil] as [[UInt8]?])
    func olderVersionIsSpokenWhereTheBrokerWantsIt(answer: [UInt8]?) async throws {
        let broker = try ScriptedBroker { request in
            Self.level(request) == 4 ? [0x20, 0x02, 0x00, 0x00] : answer
        }
        try await ClientRun(settings(broker.port)).run { run in
            try await run.awaitConnection()
            #expect(
                try run.recorder.values.last
                    == .connected(1, to: #require(BrokerAddress("mqtt://127.0.0.1:\(broker.port)")), isVersion5: false))
        }
        #expect(broker.received.compactMap(Self.level) == [5, 4])
    }

    @Test(
        arguments: [
            (4, "refuses the user name or the password"), (5, "does not allow this client"),
            (2, "give another client-id"),
            (3, "is not available at present"),
        ] as [(UInt8, String)])
    func refusalInTheOldVersionIsSaid(code: UInt8, words: String) async throws {
        let broker = try ScriptedBroker { request in
            Self.level(request) == 4 ? [0x20, 0x02, 0x00, code] : nil
        }
        try await ClientRun(settings(broker.port)).run { run in
            try await eventually("it is said", details: { "\(run.reasons)" }) {
                run.reasons.contains { $0.contains(words) }
            }
        }
    }

    /// The numbers of others, a number twice, and then no packet at all.
    @Test func unknownAcknowledgementsAreIgnored() async throws {
        let broker = try ScriptedBroker { request in
            guard Self.level(request) == 4 else { return nil }
            return [
                0x20, 0x02, 0x00, 0x00, 0x40, 0x02, 0x12, 0x34, 0x40, 0x02, 0x00, 0x00, 0x40, 0x02, 0x12, 0x34, 0xD0,
                0x00,
            ]
        }
        try await ClientRun(settings(broker.port)).run { run in
            try await run.awaitConnection()
            run.client.publish(BrokerMessage(topic: "a", payload: [0x78], isRetained: false), id: 1, connection: 1)
            try await eventually("the connection is tried or kept") {
                run.recorder.values.count >= 2 || broker.received.count == 2
            }
            #expect(!run.recorder.values.contains { if case .acknowledged = $0 { true } else { false } })
        }
    }

    /// After the broker has accepted the connection, with messages in flight. In MQTT 5 libmosquitto 2.0.11 has an
    /// assertion that such bytes can reach.
    @Test func randomBytesEndTheConnectionAndNothingElse() async throws {
        var generator = SeededGenerator(seed: 7)
        for round in 0..<60 {
            let noise = (0..<Int.random(in: 1...300, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            let broker = try ScriptedBroker(closes: true) { _ in [0x20, 0x02, 0x00, 0x00] + noise }
            var settings = try settings(broker.port)
            settings.subscription = "a/cmd"
            settings.triesVersion5 = false
            try await ClientRun(settings).run { run in
                for id in Int64(1)...3 {
                    run.client.publish(
                        BrokerMessage(topic: "a", payload: [0x78], isRetained: false), id: id, connection: 1)
                }
                let reason = try await run.awaitReason()
                #expect(reason.contains("\(broker.port)"), "round \(round): \(reason)")
            }
        }
    }

    @Test func tlsWhereThereIsNoneIsSaid() async throws {
        let broker = try Mosquitto()
        try await broker.start()
        try await ClientRun(settings(broker.port, tls: true)).run { run in
            let reason = try await run.awaitReason()
            #expect(reason.hasPrefix("there is no TLS at 127.0.0.1:\(broker.port); use mqtt://"), "\(reason)")
        }
    }
}
