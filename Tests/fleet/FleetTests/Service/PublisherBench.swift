import Delivery
import Fleet
@_spi(Programs) import LocationModel
import Logging
import ProgramTestSupport
import ServiceKit
@_spi(Programs) import SystemSupport
import Testing

@testable import locationd_fleet

/// A publisher with an outbox, whose daemon and broker are the test's own.
final class PublisherBench: Sendable {
    /// What was handed to the broker.
    struct Published: Sendable {
        let message: BrokerMessage
        let id: Int64
        let connection: Int

        var text: String { String(decoding: message.payload, as: UTF8.self) }
    }

    let address: BrokerAddress
    let outbox: MessageOutbox
    let published = ValueRecorder<Published>()
    /// The state as `systemctl status` has it, whenever it has changed.
    let reports = ValueRecorder<String>()
    private let folder: TemporaryFolder

    init() throws {
        address = try #require(BrokerAddress("mqtt://broker"))
        folder = try TemporaryFolder()
        outbox = try MessageOutbox(path: folder("outbox.sqlite"), limit: 1 << 20)
    }

    /// Runs a publisher, which publishes each location, beside the test.
    func withPublisher(
        clock: ServiceClock = .machine, hours: [String] = [],
        local: @escaping @Sendable (UTCTime) -> ReportHours.LocalTime = { _ in .init(weekday: 0, minute: 0) },
        _ body: (FleetPublisher) async throws -> Void
    ) async throws {
        let device = try #require(FleetDevice(user: "anna", device: "boat"))
        var policy = ReportPolicy()
        policy.interval = 0
        policy.distance = 0
        policy.includesSimulated = true
        policy.hours.intervals = try hours.map { try #require(ReportHours.Interval($0)) }
        let publisher = FleetPublisher(
            outbox, waiting: try await outbox.count().messages,
            writer: MessageWriter(device, FleetForms(), origin: outbox.origin), policy: policy,
            times: ReportTimes(policy.hours, clock: clock, local: local), drainRate: 1000, clock: clock,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            publish: { [published] in published.append(Published(message: $0, id: $1, connection: $2)) },
            report: { [reports] notification in
                guard case .status(let words, let isDegraded) = notification else { return }
                reports.append((isDegraded ? "degraded: " : "") + words)
            })
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

    func location(_ sequence: Int64, monotonicTime: BootInstant = MachineClock.now) throws -> Location {
        var location = Location(
            coordinate: try #require(Coordinate(latitude: 1, longitude: 2)), monotonicTime: monotonicTime,
            source: SourceInformation(name: "gpsd"))
        location.sequence = sequence
        return location
    }
}
