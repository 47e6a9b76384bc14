import Delivery
import Fleet
import ProgramTestSupport
import Testing

@testable import locationd_fleet

/// The order in which the outbox is emptied, by a broker of the test's own that answers when the test says so.
@Suite(.timeLimit(.minutes(10))) struct FleetPublisherTests {
    private let bench: PublisherBench
    private var outbox: MessageOutbox { bench.outbox }
    private var published: ValueRecorder<PublisherBench.Published> { bench.published }

    init() throws { bench = try PublisherBench() }

    private func insert(_ texts: String...) async throws {
        for text in texts {
            _ = try await outbox.insert([
                FleetMessage(topic: "a", kind: .location, isRetained: true, payload: Array(text.utf8))
            ])
        }
    }

    @Test func newestComesFirstAndAloneReplacesWhatTheBrokerRetains() async throws {
        try await insert("1", "2", "3", "4")
        try await bench.withPublisher { publisher in
            await publisher.applyBrokerEvent(.connected(1, to: bench.address, isVersion5: true))
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
        try await bench.withPublisher { publisher in
            await publisher.applyBrokerEvent(.connected(1, to: bench.address, isVersion5: true))
            try await eventually("it is published") { published.values.count == 1 }
            #expect(published.values.map(\.text) == ["old"] && !published.values[0].message.isRetained)
        }
    }

    @Test func messageIsDeletedWhenTheBrokerHasItAndPublishedAgainUntilThen() async throws {
        try await insert("1", "2")
        try await bench.withPublisher { publisher in
            await publisher.applyBrokerEvent(.connected(1, to: bench.address, isVersion5: true))
            try await eventually("both are published") { published.values.count == 2 }
            await publisher.applyBrokerEvent(.acknowledged(1, connection: 1))
            try await eventually("it is deleted") { try await outbox.ids(after: 0, limit: 9) == [2] }
            await publisher.applyBrokerEvent(.disconnected(reason: "broken"))
            await publisher.applyBrokerEvent(.connected(2, to: bench.address, isVersion5: true))
            try await eventually("the other is published again") { published.values.count == 3 }
            #expect(published.values[2].text == "2" && published.values[2].connection == 2)
            // The acknowledgement of a connection that is over counts all the same.
            await publisher.applyBrokerEvent(.acknowledged(2, connection: 1))
            try await eventually("it is deleted") { try await outbox.count().messages == 0 }
        }
    }

    @Test func locationIsInTheOutboxBeforeItIsPublished() async throws {
        try await bench.withPublisher { publisher in
            await publisher.applyLocation(try bench.location(1))
            #expect(try await outbox.count().messages == 1 && published.values.isEmpty)
            await publisher.applyBrokerEvent(.connected(1, to: bench.address, isVersion5: false))
            await publisher.applyLocation(try bench.location(2))
            try await eventually("both are published") { published.values.count == 2 }
            #expect(try await outbox.count().messages == 2)
            #expect(published.values.allSatisfy { $0.message.topic == "owntracks/anna/boat" })
        }
    }

    @Test func drainWaitsForTheBroker() async throws {
        try await insert("1")
        try await bench.withPublisher { publisher in
            // Without a connection there is nothing to wait for.
            await publisher.drain(within: 60)
            await publisher.applyBrokerEvent(.connected(1, to: bench.address, isVersion5: true))
            try await eventually("it is published") { published.values.count == 1 }
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await publisher.drain(within: 60) }
                await publisher.applyBrokerEvent(.acknowledged(1, connection: 1))
            }
            #expect(try await outbox.count().messages == 0)
        }
    }
}
