import Glibc
import ProgramTestSupport
import Testing

@testable import Delivery

/// A client of several brokers.
@Suite(.timeLimit(.minutes(10))) struct BrokerFailoverTests {
    private let brokers: [Mosquitto]
    private let addresses: [BrokerAddress]
    private let settings: BrokerSettings

    init() throws {
        brokers = [try Mosquitto(), try Mosquitto()]
        addresses = try brokers.map { try #require(BrokerAddress($0.address)) }
        let list = brokers.map(\.address).joined(separator: ",")
        settings = BrokerSettings(try #require(BrokerAddresses(list)), clientID: "test")
    }

    @Test func firstOfTwoIsUsedAndTheSecondWhenItIsKilled() async throws {
        for broker in brokers { try await broker.start() }
        let subscriber = try brokers[1].subscriber()
        try await eventually("it has subscribed") { brokers[1].log.contains("Sending SUBACK") }
        try await ClientRun(settings).run { run in
            try await run.awaitConnection()
            #expect(run.recorder.values.first == .connected(1, to: addresses[0], isVersion5: false))
            try await brokers[0].end(by: SIGKILL)
            try await run.awaitConnection(2)
            #expect(run.recorder.values.last == .connected(2, to: addresses[1], isVersion5: false))
            run.client.publish(BrokerMessage(topic: "a", payload: [0x78], isRetained: false), id: 7, connection: 2)
            try await eventually("it is acknowledged", run.recorder) { $0.last == .acknowledged(7, connection: 2) }
            try await eventually("it arrives") { subscriber.received.map(\.payload) == ["x"] }
            // There is no return while the second one works; when it ends, the first is next.
            try await brokers[0].start()
            try await brokers[1].end()
            try await run.awaitConnection(3)
            #expect(run.recorder.values.last == .connected(3, to: addresses[0], isVersion5: false))
        }
    }

    @Test func allAreTriedInTurnUntilOneIsThere() async throws {
        try await ClientRun(settings).run { run in
            try await eventually("four attempts") { run.reasons.count >= 4 }
            for (number, reason) in run.reasons.prefix(4).enumerated() {
                #expect(reason.contains("nothing listens at \(addresses[number % 2]) "), "\(reason)")
            }
            try await brokers[1].start()
            try await run.awaitConnection()
            #expect(run.recorder.values.last == .connected(1, to: addresses[1], isVersion5: false))
        }
    }
}
