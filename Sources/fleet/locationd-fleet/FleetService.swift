import Delivery
import Fleet
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import Logging
import ServiceKit
@_spi(Programs) import SystemSupport
import UnixSignals

/// The parts of the program, and how they begin and end.
struct FleetService {
    private let configuration: FleetConfiguration
    private let device: FleetDevice
    private let settings: BrokerSettings
    private let outbox: MessageOutbox
    private let notifications: NotificationSocket?
    private let logger: Logger

    /// Seconds to publish what waits, when the program is asked to end.
    private static let drainTime = 2.0
    /// Seconds to say good-bye to the broker.
    private static let disconnectTime = 1.0
    /// Seconds for all of it: systemd kills the process after ten (`TimeoutStopSec=`).
    private static let endingTime: UInt32 = 8

    init(
        _ configuration: FleetConfiguration, _ device: FleetDevice, _ settings: BrokerSettings, _ outbox: MessageOutbox,
        _ notifications: NotificationSocket?, _ logger: Logger
    ) {
        (self.configuration, self.device, self.settings, self.outbox) = (configuration, device, settings, outbox)
        (self.notifications, self.logger) = (notifications, logger)
    }

    /// Publishes until there is a signal.
    ///
    /// - Throws: what has failed.
    func run(until signals: UnixSignalsSequence) async throws {
        let waiting = try await outbox.count().messages
        let writer = MessageWriter(device, configuration.messages.forms, origin: outbox.origin)
        let broker = BrokerClient(
            settings,
            will: {
                writer.will(now: MachineClock.utc).map {
                    BrokerMessage(topic: $0.topic, payload: $0.payload, isRetained: $0.isRetained)
                }
            })
        guard let broker else { throw Exhausted() }
        let publisher = FleetPublisher(
            outbox, waiting: waiting, writer: writer, policy: configuration.reports,
            times: ReportTimes(configuration.reports.hours, clock: .machine),
            drainRate: configuration.outbox.drainRate, clock: .machine, logger: logger,
            publish: { broker.publish($0, id: $1, connection: $2) },
            report: { [notifications] in notifications?.send($0, waits: false) })
        logger.notice(
            "publishing",
            metadata: [
                "broker": "\(settings.addresses)", "user": "\(device.user)", "device": "\(device.device)",
                "version": "\(Release.version)",
            ])
        notifications?.send(.ready, waits: true)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await publisher.run() }
            group.addTask { await publisher.watchDisk() }
            group.addTask {
                for await event in broker.events { await publisher.applyBrokerEvent(event) }
                await publisher.end()
            }
            await serve(publisher, until: signals)
            notifications?.send(.stopping, waits: true)
            await publisher.drain(within: Self.drainTime)
            broker.stop()
            // Looking up a host and connecting to it may block the broker's thread for minutes. The publisher ends with
            // the events, after what it is about to delete is deleted.
            let cancel = Pause.after(Self.disconnectTime) { broker.endEvents() }
            await group.waitForAll()
            cancel()
        }
        logger.info("ended")
    }

    /// The system gives no thread or descriptor to the broker's client.
    private struct Exhausted: Error, CustomStringConvertible {
        let description = "no thread or no descriptor is left; raise TasksMax or LimitNOFILE"
    }

    /// Passes on what the daemon says, and writes the metrics, until there is a signal.
    private func serve(_ publisher: FleetPublisher, until signals: UnixSignalsSequence) async {
        let access = LocationConfiguration(
            socketPath: configuration.service.daemon, purpose: "publishes the position to \(settings.addresses.hosts)",
            logger: logger)
        let feed = DaemonFeed(publisher, configuration.reports, configuration.regions, access)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await feed.run() }
            group.addTask {
                await MetricsFileWriter(configuration.metrics, logger: logger).write { await publisher.metrics() }
            }
            for await _ in signals { break }
            EndingDeadline.start(
                Self.endingTime, logger: logger,
                message: "the program ends without having written all to the outbox, because the disk does not respond",
                advice: "check the disk of \(outbox.path)")
            group.cancelAll()
        }
    }
}
