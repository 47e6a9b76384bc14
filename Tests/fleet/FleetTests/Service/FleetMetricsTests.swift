import Foundation
@_spi(Programs) import LocationModel
import ProgramTestSupport
import ServiceKit
import Testing

@testable import Delivery
@testable import locationd_fleet

/// The metrics, judged by Prometheus' own checker.
@Suite(.timeLimit(.minutes(10))) struct FleetMetricsTests {
    private func value(_ name: String, in text: String) -> Double? {
        Promtool.value("locationd_fleet_\(name)", in: text)
    }

    @Test func numbersAreThoseOfWhatHappened() async throws {
        let bench = try PublisherBench()
        try await bench.withPublisher { publisher in
            let before = await publisher.metrics()
            #expect(try await blocking { try Promtool.complaints(about: before) } == "")
            #expect(value("connected", in: before) == 0 && value("outbox_messages", in: before) == 0)
            #expect(value("oldest_message_age_seconds", in: before) == nil, "none waits")
            await publisher.applyLocation(try bench.location(1))
            await publisher.applyLocation(try bench.location(2))
            await publisher.applyLocation(try bench.location(3))
            await publisher.applyBrokerEvent(.connected(1, to: bench.address, isVersion5: true))
            try await eventually("all are published") { bench.published.values.count == 3 }
            await publisher.applyBrokerEvent(.acknowledged(1, connection: 1))
            await publisher.applyBrokerEvent(.refused(2, connection: 1, reason: "no"))
            try await eventually("one is deleted") { try await bench.outbox.count().messages == 2 }
            let after = await publisher.metrics()
            #expect(try await blocking { try Promtool.complaints(about: after) } == "")
            #expect(value("connected", in: after) == 1 && value("connections_total", in: after) == 1)
            #expect(value("inserted_messages_total", in: after) == 3)
            #expect(value("acknowledged_messages_total", in: after) == 1)
            #expect(value("refused_messages_total", in: after) == 1)
            #expect(value("thinned_messages_total", in: after) == 0)
            #expect(value("outbox_messages", in: after) == 2)
            #expect(try #require(value("outbox_bytes", in: after)) > 0)
            #expect(try #require(value("oldest_message_age_seconds", in: after)) < 60)
            await publisher.applyBrokerEvent(.disconnected(reason: "broken"))
            #expect(value("connected", in: await publisher.metrics()) == 0)
        }
    }

    /// The oldest message, and not the newest; a clock that was set back gives no negative age.
    @Test func ageIsThatOfTheOldestMessage() {
        for (oldest, age) in [(Int64(1000), 60.0), (2000, 0)] {
            let count = MessageOutbox.Count(messages: 1, bytes: 1, thinned: 0, oldestTime: oldest)
            let families = FleetFigures().families(count, isConnected: false, now: UTCTime(seconds: 1060))
            let family = families.first { $0.name == "locationd_fleet_oldest_message_age_seconds" }
            #expect(family?.samples.map(\.value) == [.number(age)])
        }
    }

    @Test func fileIsWrittenAndRemovedAtTheEnd() async throws {
        let machine = try await FleetMachine(broker: "mqtt://127.0.0.1:1") {
            "[metrics]\ntextfile = \"\($0.path)/fleet.prom\"\ninterval = 1"
        }
        let fleet = try machine.start()
        let path = machine.folder("fleet.prom")
        try await eventually("messages wait", details: { fleet.errors + text(of: path) }) {
            value("outbox_messages", in: text(of: path)) ?? 0 >= 3
        }
        let written = text(of: path)
        #expect(try await blocking { try Promtool.complaints(about: written) } == "")
        fleet.signal(SIGTERM)
        #expect(try await blocking { try fleet.wait() } == 0, "\(fleet.errors)")
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
