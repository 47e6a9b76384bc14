import ProgramTestSupport
import Testing

@testable import Delivery

/// The last will with the real Mosquitto.
@Suite(.timeLimit(.minutes(10))) struct RetainedWillTests {
    /// Who subscribes later has to learn that the device is gone too.
    @Test(arguments: [true, false]) func willIsKeptByTheBrokerIfItIsToBe(isRetained: Bool) async throws {
        let broker = try Mosquitto()
        try await broker.start()
        let will = BrokerMessage(topic: "a/b", payload: Array("gone".utf8), isRetained: isRetained)
        let first = try broker.subscriber()
        try await eventually("it has subscribed") { broker.log.contains("Sending SUBACK") }
        try await ClientRun(settings(broker.port), will: will).run { run in
            try await run.awaitConnection()
            // A second client of the name: the broker closes the first one's connection.
            try await ClientRun(settings(broker.port)).run { try await $0.awaitConnection() }
            try await eventually("the will arrives") { first.received.contains { $0.payload == "gone" } }
        }
        try await ClientRun(settings(broker.port)).run { run in
            try await run.awaitConnection()
            func publish(_ text: String, id: Int64) {
                run.client.publish(
                    BrokerMessage(topic: "c", payload: Array(text.utf8), isRetained: id == 1), id: id, connection: 1)
            }
            publish("kept", id: 1)
            try await eventually("the broker has it", run.recorder) { $0.contains(.acknowledged(1, connection: 1)) }
            // Of another name: of two with one name each would end the other, and what is new could go to the first.
            let later = try broker.subscriber("#", ["-i", "later"])
            try await eventually("what is kept arrives") { later.received.contains { $0.payload == "kept" } }
            // All that is kept comes before it.
            publish("new", id: 2)
            try await eventually("what is new arrives") { later.received.contains { $0.payload == "new" } }
            #expect(later.received.contains { $0.payload == "gone" } == isRetained)
        }
    }
}
