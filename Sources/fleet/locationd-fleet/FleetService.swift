import Delivery
import Fleet
import HTTPRequests
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import Logging
import ServiceKit
import ServiceServer
@_spi(Programs) import SystemSupport
import UnixSignals

/// The parts of the program, and how they begin and end.
struct FleetService {
    private let configuration: FleetConfiguration
    private let device: FleetDevice
    /// `nil` if there is no broker.
    private let settings: BrokerSettings?
    private let outbox: MessageOutbox
    private let notifications: NotificationSocket?
    private let logger: Logger

    /// Seconds to publish what waits, and for the requests in progress, when the program is asked to end.
    private static let drainTime = 2.0
    /// Seconds to say good-bye to the broker.
    private static let disconnectTime = 1.0
    /// Seconds for all of it: systemd kills the process after ten (`TimeoutStopSec=`).
    private static let endingTime: UInt32 = 8

    init(
        _ configuration: FleetConfiguration, _ device: FleetDevice, _ settings: BrokerSettings?,
        _ outbox: MessageOutbox,
        _ notifications: NotificationSocket?, _ logger: Logger
    ) {
        (self.configuration, self.device, self.settings, self.outbox) = (configuration, device, settings, outbox)
        (self.notifications, self.logger) = (notifications, logger)
    }

    /// Publishes until there is a signal.
    ///
    /// - Parameters:
    ///   - control: where administrators are answered; `nil` for nowhere.
    ///   - credentials: the folder of systemd's credentials, if there is one.
    /// - Throws: what has failed.
    func run(
        at control: ServiceEndpoint?, credentials: String?, until signals: UnixSignalsSequence
    ) async throws {
        let deliveries = try deliveries(credentials)
        let names = Dictionary(
            uniqueKeysWithValues: deliveries.map { ($0.destination.name, $0.destination.address.form.showsNewest) })
        let forgotten = try await outbox.configure(names, hasBroker: settings != nil)
        if !forgotten.isEmpty {
            logger.warning(
                "messages for whom the configuration does not name any more are deleted",
                metadata: ["deleted": "\(FleetPublisher.text(ofDropped: forgotten))"])
        }
        let waiting = try await outbox.count().messages
        let writer = MessageWriter(device, configuration.forms, origin: outbox.origin)
        let broker = try settings.map { settings in
            let broker = BrokerClient(
                settings,
                will: {
                    writer.will(now: MachineClock.utc).map {
                        BrokerMessage(topic: $0.topic, payload: $0.payload, isRetained: $0.isRetained)
                    }
                })
            guard let broker else { throw Exhausted() }
            return broker
        }
        let publisher = FleetPublisher(
            outbox, waiting: waiting, writer: writer, policy: configuration.reports,
            times: ReportTimes(configuration.reports.hours, clock: .machine),
            drainRate: configuration.outbox.drainRate, clock: .machine, logger: logger, deliveries: deliveries,
            hasBroker: broker != nil, publish: { broker?.publish($0, id: $1, connection: $2) },
            report: { [notifications] in notifications?.send($0, waits: false) })
        let administration = try await administer(publisher, at: control)
        configuration.warnings.forEach { logger.warning("\($0)") }
        logger.notice(
            "publishing",
            metadata: [
                "broker": "\(settings.map { "\($0.addresses)" } ?? "none")", "user": "\(device.user)",
                "device": "\(device.device)", "destinations": "\(names.keys.sorted().joined(separator: ", "))",
                "version": "\(Release.version)",
            ])
        notifications?.send(.ready, waits: true)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await publisher.run() }
            group.addTask { await publisher.watchDisk() }
            await withTaskGroup(of: Void.self) { senders in
                senders.addTask { await publisher.runDeliveries(endingWithin: Self.drainTime) }
                if let broker {
                    senders.addTask { for await event in broker.events { await publisher.applyBrokerEvent(event) } }
                }
                await serve(publisher, until: signals)
                notifications?.send(.stopping, waits: true)
                await administration?.stop()
                control?.remove()
                await publisher.endDeliveries()
                await publisher.drain(within: Self.drainTime)
                broker?.stop()
                // Looking up a host and connecting to it may block the broker's thread for minutes.
                let cancel = Pause.after(Self.disconnectTime) { broker?.endEvents() }
                await senders.waitForAll()
                cancel()
            }
            // After the last event: what the broker has acknowledged is deleted before the publisher ends.
            await publisher.end()
            await group.waitForAll()
        }
        logger.info("ended")
    }

    private func deliveries(_ credentials: String?) throws -> [HTTPDelivery] {
        try configuration.destinations.compactMap { settings in
            guard
                let destination = settings.destination(
                    of: configuration.broker, credentials: credentials, version: Release.version)
            else { return nil }
            _ = try destination.secret()
            var transport = HTTPTransport()
            (transport.authorities, transport.isDirect) = (settings.authorities, true)
            transport.connectTimeout = HTTPDelivery.connectLimit
            let client = try HTTPClient(
                userAgent: "locationd-fleet/\(Release.version)", clock: .machine, transport: transport)
            return HTTPDelivery(
                destination, outbox, rate: configuration.outbox.drainRate, clock: .machine, logger: logger
            ) { request, seconds throws(HTTPFailure) in try await client.send(request, within: seconds) }
        }
    }

    private func administer(
        _ publisher: FleetPublisher, at control: ServiceEndpoint?
    ) async throws -> CallServer<FleetAnswerer>? {
        guard let socket = try control?.listen() else { return nil }
        return try await CallServer(
            socket: socket, limits: CallLimits(),
            answerer: FleetAnswerer(publisher: publisher, broker: settings.map { "\($0.addresses)" }), logger: logger)
    }

    /// The system gives no thread or descriptor to the broker's client.
    private struct Exhausted: Error, CustomStringConvertible {
        let description = "no thread or no descriptor is left; raise TasksMax or LimitNOFILE"
    }

    /// Who receives the position, by their hosts.
    private var receivers: String {
        let hosts = Set(configuration.destinations.compactMap { $0.address?.host }).sorted()
        return ((settings.map { ["\($0.addresses.hosts)"] } ?? []) + hosts).joined(separator: ", ")
    }

    /// Passes on what the daemon says, and writes the metrics, until there is a signal.
    private func serve(_ publisher: FleetPublisher, until signals: UnixSignalsSequence) async {
        let access = LocationConfiguration(
            socketPath: configuration.service.daemon, purpose: "publishes the position to \(receivers)",
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
