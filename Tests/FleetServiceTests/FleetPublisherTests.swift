import Fleet
import FleetOutbox
import LocationModel
import Logging
import MQTT
import SystemClock
import TestSupport
import Testing

@testable import locationd_fleet

/// The order in which the outbox is emptied, by a broker of the test's own that answers when the test says so.
@Suite(.timeLimit(.minutes(1))) struct FleetPublisherTests {
    /// What was handed to the broker.
    private struct Published: Sendable {
        let message: BrokerMessage
        let id: Int64
        let connection: Int

        var text: String { String(decoding: message.payload, as: UTF8.self) }
    }

    private let address: BrokerAddress
    private let folder: TemporaryFolder
    private let outbox: MessageOutbox
    private let published = ValueRecorder<Published>()

    init() throws {
        address = try #require(BrokerAddress("mqtt://broker"))
        folder = try TemporaryFolder()
        outbox = try MessageOutbox(path: folder("outbox.sqlite"), limit: 1 << 20)
    }

    private func insert(_ texts: String...) async throws {
        for text in texts {
            _ = try await outbox.insert([
                FleetMessage(topic: "a", kind: .location, isRetained: true, payload: Array(text.utf8))
            ])
        }
    }

    /// Runs a publisher beside the test.
    private func withPublisher(_ body: (FleetPublisher) async throws -> Void) async throws {
        let device = try #require(FleetDevice(user: "anna", device: "boat"))
        var policy = ReportPolicy()
        policy.interval = 0
        policy.distance = 0
        let publisher = FleetPublisher(
            outbox, waiting: try await outbox.count().messages,
            writer: MessageWriter(device, FleetForms(), origin: outbox.origin), policy: policy, drainRate: 1000,
            clock: .machine, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            publish: { [published] in published.append(Published(message: $0, id: $1, connection: $2)) },
            report: { _ in })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await publisher.run() }
            do {
                try await body(publisher)
            } catch {
                await publisher.end()
                throw error
            }
            await publisher.end()
        }
    }

    private func location(_ sequence: Int64) throws -> Location {
        var location = Location(
            coordinate: try #require(Coordinate(latitude: 1, longitude: 2)), monotonicTime: MachineClock.now,
            source: SourceInformation(name: "gpsd"))
        location.sequence = sequence
        return location
    }

    @Test func newestComesFirstAndAloneReplacesWhatTheBrokerRetains() async throws {
        try await insert("1", "2", "3", "4")
        try await withPublisher { publisher in
            await publisher.applyBrokerEvent(.connected(1, to: address, isVersion5: true))
            try await eventually("all are published", details: { "\(published.values)" }) {
                published.values.count == 4
            }
            #expect(published.values.map(\.text) == ["4", "1", "2", "3"])
            #expect(published.values.map(\.message.isRetained) == [true, false, false, false])
        }
    }

    /// The broker has it, though an older one is left.
    @Test func oldMessageIsNotRetainedAfterTheNewestIsGone() async throws {
        try await insert("old", "new")
        try await outbox.remove([2])
        try await withPublisher { publisher in
            await publisher.applyBrokerEvent(.connected(1, to: address, isVersion5: true))
            try await eventually("it is published") { published.values.count == 1 }
            #expect(published.values.map(\.text) == ["old"] && !published.values[0].message.isRetained)
        }
    }

    @Test func messageIsDeletedWhenTheBrokerHasItAndPublishedAgainUntilThen() async throws {
        try await insert("1", "2")
        try await withPublisher { publisher in
            await publisher.applyBrokerEvent(.connected(1, to: address, isVersion5: true))
            try await eventually("both are published") { published.values.count == 2 }
            await publisher.applyBrokerEvent(.acknowledged(1, connection: 1))
            try await eventually("it is deleted") { try await outbox.ids(after: 0, limit: 9) == [2] }
            await publisher.applyBrokerEvent(.disconnected(reason: "broken"))
            await publisher.applyBrokerEvent(.connected(2, to: address, isVersion5: true))
            try await eventually("the other is published again") { published.values.count == 3 }
            #expect(published.values[2].text == "2" && published.values[2].connection == 2)
            // The acknowledgement of a connection that is over counts all the same.
            await publisher.applyBrokerEvent(.acknowledged(2, connection: 1))
            try await eventually("it is deleted") { try await outbox.count().messages == 0 }
        }
    }

    @Test func locationIsInTheOutboxBeforeItIsPublished() async throws {
        try await withPublisher { publisher in
            await publisher.applyLocation(try location(1))
            #expect(try await outbox.count().messages == 1 && published.values.isEmpty)
            await publisher.applyBrokerEvent(.connected(1, to: address, isVersion5: false))
            await publisher.applyLocation(try location(2))
            try await eventually("both are published") { published.values.count == 2 }
            #expect(try await outbox.count().messages == 2)
            #expect(published.values.allSatisfy { $0.message.topic == "owntracks/anna/boat" })
        }
    }

    @Test func drainWaitsForTheBroker() async throws {
        try await insert("1")
        try await withPublisher { publisher in
            // Without a connection there is nothing to wait for.
            await publisher.drain(within: 60)
            await publisher.applyBrokerEvent(.connected(1, to: address, isVersion5: true))
            try await eventually("it is published") { published.values.count == 1 }
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await publisher.drain(within: 60) }
                await publisher.applyBrokerEvent(.acknowledged(1, connection: 1))
            }
            #expect(try await outbox.count().messages == 0)
        }
    }
}
