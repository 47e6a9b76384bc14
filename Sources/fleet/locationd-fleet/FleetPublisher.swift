import Delivery
import Fleet
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import Logging
import ServiceKit
@_spi(Programs) import SystemSupport

/// Between the daemon, the broker and the destinations: decides what is published, puts it into the outbox, and
/// publishes to the broker from there. Each destination's ``HTTPDelivery`` sends by itself.
///
/// Ownership: the actor owns the schedule, the counts and the anchor. The broker's messages are read and deleted from
/// here alone. Inserting is done by the caller of ``applyLocation(_:isReduced:)``; everything else that needs the disk
/// by the one loop of ``run()``, which inputs only wake, so that neither a slow disk nor a slow broker makes anything
/// be done twice at a time. Its many properties are those things that both the inputs and the loop read; what either of
/// them has alone is in ``DeliverySchedule`` and ``FleetState``.
actor FleetPublisher {
    let outbox: MessageOutbox
    private let writer: MessageWriter
    private let policy: ReportPolicy
    let times: ReportTimes
    let clock: ServiceClock
    let publish: @Sendable (BrokerMessage, Int64, Int) -> Void
    let deliveries: [HTTPDelivery]
    private let report: @Sendable (Notification) -> Void
    private let logger: Logger

    var schedule: DeliverySchedule
    /// The number of the connection; `nil` for none.
    var connection: Int?
    /// What the broker has, and the outbox still has too.
    var acknowledged: [Int64] = []
    /// Messages of the outbox.
    var waiting: Int
    private var anchor: ReportPolicy.Anchor?
    /// The newest location that may be published, by the policy's limits; `nil` while there is none.
    private var last: Location?
    /// When a command was carried out.
    private var commandTime: BootInstant?
    /// What was logged since there was a connection.
    private var loggedReasons: Set<String> = []
    var state: FleetState
    private var reported: Notification?
    var timer: Pause.Cancellation?
    /// When the hours are examined again without an input, and the timer for that.
    var hoursCheck: (time: BootInstant, cancel: Pause.Cancellation)?
    private var figures: FleetFigures

    /// Whether locations are needed now, and each change. Outside of the hours they are not, and no receiver has to
    /// run.
    let needs: AsyncStream<Bool>
    private let signalNeed: AsyncStream<Bool>.Continuation
    private var isNeeded: Bool?

    /// Wakes ``run()``.
    let wake = WakeSignal()
    /// The disk has not responded for a while.
    let hang = WakeSignal()
    /// The broker has everything.
    let idle = WakeSignal()
    /// Finished when the deliveries are to end.
    let ending = WakeSignal()

    /// Seconds from one remote command to the next: commands that come sooner are ignored.
    private static let commandInterval = 1.0

    /// - Parameters:
    ///   - waiting: how many messages the outbox has.
    ///   - times: when locations may be published.
    ///   - deliveries: the destinations by HTTP.
    ///   - hasBroker: whether there is a broker.
    ///   - publish: sends a message with its number over the connection of a number.
    ///   - report: receives the state, whenever it has changed.
    init(
        _ outbox: MessageOutbox, waiting: Int, writer: MessageWriter, policy: ReportPolicy, times: ReportTimes,
        drainRate: Double, clock: ServiceClock, logger: Logger, deliveries: [HTTPDelivery] = [], hasBroker: Bool = true,
        publish: @escaping @Sendable (BrokerMessage, Int64, Int) -> Void,
        report: @escaping @Sendable (Notification) -> Void
    ) {
        (self.outbox, self.waiting, self.writer, self.policy) = (outbox, waiting, writer, policy)
        self.times = times
        (self.clock, self.logger, self.publish, self.report) = (clock, logger, publish, report)
        self.deliveries = deliveries
        (schedule, figures) = (DeliverySchedule(rate: drainRate), FleetFigures(hasBroker: hasBroker))
        state = FleetState(ordinary: DeliverySchedule.window, hasBroker: hasBroker)
        (needs, signalNeed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    // MARK: The daemon

    /// A fix of the daemon. Calls come one after the other.
    ///
    /// - Parameter isReduced: whether the daemon tells the position on a coarse grid.
    func applyLocation(_ location: Location, isReduced: Bool = false) async {
        let now = clock.now()
        guard times.allow(age: location.age(at: now)) else {
            wake.send()
            return
        }
        state.locations = nil
        for delivery in deliveries { await delivery.applyLocation(location, isReduced: isReduced) }
        if case .publish = policy.decide(location, since: nil, at: now) { last = location }
        guard case .publish(let trigger) = policy.decide(location, since: anchor, at: now) else { return }
        if await insert(location, trigger, at: now) { anchor = ReportPolicy.Anchor(location, at: now) }
    }

    private func insert(
        _ location: Location, _ trigger: OwnTracksLocation.Trigger, at now: BootInstant
    ) async -> Bool {
        let (age, utc) = (location.age(at: now), clock.utc())
        guard await insert(writer.messages(of: location, age: age, now: utc, trigger: trigger)) else { return false }
        logger.debug(
            "a location is in the outbox", metadata: ["id": "\(writer.identifier(of: location, age: age, now: utc))"])
        return true
    }

    /// Says whether locations are needed, if that has changed.
    func setNeed(_ isNeeded: Bool) {
        guard isNeeded != self.isNeeded else { return }
        self.isNeeded = isNeeded
        signalNeed.yield(isNeeded)
        // No updates arrive until locations are needed again, so the former location and status may be wrong by then.
        if !isNeeded { (last, state.locations) = (nil, nil) }
    }

    /// Ends ``run()``, ``watchDisk()`` and ``needs``.
    func end() {
        timer?()
        hoursCheck?.cancel()
        wake.finish()
        hang.finish()
        signalNeed.finish()
    }

    /// There are no locations at present.
    ///
    /// - Parameter isFault: whether somebody has to do something about it.
    func applyAbsence(_ reason: String, isFault: Bool) {
        guard times.isWithinHours else { return }
        if state.locations?.reason != reason { logger.notice("no location", metadata: ["reason": "\(reason)"]) }
        state.locations = (reason, isFault)
        last = nil
        reportState()
    }

    /// A region was entered or left.
    func applyTransition(_ event: OwnTracksTransition.Event, region: String, at location: Location) async {
        let age = location.age(at: clock.now())
        // The daemon also reports what it has found while nothing was connected.
        guard !location.source.isSimulated || policy.includesSimulated, times.allow(age: age) else { return }
        let message = writer.transition(
            event, region: region, at: location, age: age, now: clock.utc(), regionTime: outbox.creationTime)
        if let message { _ = await insert([message]) }
    }

    /// - Returns: whether the outbox has them.
    private func insert(_ messages: [FleetMessage]) async -> Bool {
        guard !messages.isEmpty else { return true }
        do {
            let cancel = watchForHang()
            defer { cancel() }
            let result = try await outbox.insert(messages, sparing: schedule.unacknowledged)
            state.outbox = nil
            waiting = result.count
            figures.inserted += result.ids.count
            if result.thinned > 0 {
                logger.warning(
                    "the outbox is full; every second one of the oldest locations is deleted",
                    metadata: [
                        "deleted": "\(result.thinned)", "left": "\(waiting)",
                        "missing": "\(Self.text(ofDropped: result.dropped))",
                    ])
            }
            // A connection that has come meanwhile reads them from the outbox; these numbers are higher then.
            for (id, message) in zip(result.ids, messages) where message.audience.contains(.broker) {
                schedule.insert(id)
            }
            wake.send()
            let shared = messages.count { $0.audience.contains(.destinations) }
            for delivery in deliveries {
                await delivery.add(shared, dropped: result.dropped[delivery.destination.name] ?? 0)
            }
            return true
        } catch {
            reportFailure(error)
            return false
        }
    }

    /// For whom how many messages are gone.
    static func text(ofDropped dropped: [String?: Int]) -> String {
        dropped.map { "\($0 ?? "broker") \($1)" }.sorted().joined(separator: ", ")
    }

    // MARK: The broker

    func applyBrokerEvent(_ event: BrokerEvent) async {
        switch event {
        case .connected(let number, let address, let isVersion5):
            logger.notice(
                "connected to the broker",
                metadata: [
                    "broker": "\(address)", "version": "\(isVersion5 ? "5" : "3.1.1")", "waiting": "\(waiting)",
                ])
            (state.broker, state.commands) = (nil, nil)
            figures.connections += 1
            loggedReasons = []
            // Whatever the broker retained may be lost; a message of the state replaces the one before.
            _ = await insert(writer.announcements(version: Release.version))
            await startDelivery(over: number)
        case .acknowledged(let id, _):
            // Also of a connection that is over: the broker has the message.
            acknowledged.append(id)
            figures.acknowledged += 1
            figures.lastAcknowledgement = clock.utc()
        case .refused(let id, let number, let reason):
            logger.warning(
                "the broker refuses a message; it is published again over the next connection",
                metadata: ["reason": "\(reason)"])
            figures.refused += 1
            if number == connection { schedule.refuse(id) }
        case .received(let message): await carryOut(message.payload)
        case .subscriptionRefused(let reason):
            logger.warning("remote commands are not received", metadata: ["reason": "\(reason)"])
            state.commands = "remote commands are not received: \(reason)"
        case .disconnected(let reason):
            // Each of several brokers has its own; what it says is logged once.
            if loggedReasons.count > 32 { loggedReasons = [] }
            if loggedReasons.insert(reason).inserted {
                logger.warning("no connection", metadata: ["reason": "\(reason)"])
            }
            state.broker = reason
            connection = nil
            schedule.disconnect()
        case .ended: return
        }
        wake.send()
    }

    private func carryOut(_ payload: [UInt8]) async {
        guard let command = RemoteCommand(payload) else {
            return logger.notice("a remote command is ignored", metadata: ["reason": "it is unknown"])
        }
        await carryOut(command, for: .broker)
    }

    /// - Parameter asker: who is sent the state, if it is asked for.
    func carryOut(_ command: RemoteCommand, for asker: FleetMessage.Audience) async {
        let now = clock.now()
        if let commandTime, now.seconds(since: commandTime) < Self.commandInterval { return }
        commandTime = now
        logger.info("remote command", metadata: ["action": "\(command.rawValue)"])
        let hoursReason = times.reason
        switch command {
        case .reportLocation where hoursReason == nil:
            guard let last else { return }
            _ = await insert(last, .response, at: now)
        case .reportLocation, .status:
            // An answer is published outside of the hours too, if what waits is left where it is before.
            if hoursReason != nil { leaveHours() }
            let message = writer.status(
                version: Release.version, waiting: waiting, reason: hoursReason ?? state.locations?.reason,
                now: clock.utc(), to: asker)
            if let message { _ = await insert([message]) }
        }
    }

    private func startDelivery(over number: Int) async {
        do {
            let newest = try await outbox.newest()
            connection = number
            schedule.connect(newest: newest)
        } catch {
            reportFailure(error)
            // Without the newest first; everything is read in its turn.
            connection = number
            schedule.connect(newest: [])
        }
    }

    // MARK: The state in numbers and words

    /// The metrics, in Prometheus' format.
    func metrics() async -> String {
        let count = try? await outbox.count()
        var destinations: [(name: String, state: HTTPDelivery.State)] = []
        for delivery in deliveries { destinations.append((delivery.destination.name, await delivery.state)) }
        return PrometheusText.text(
            figures.families(count, isConnected: connection != nil, destinations: destinations, now: clock.utc()))
    }

    /// The newest location as a message that answers a question; `nil` if there is none that may be published.
    var answer: FleetMessage? {
        let now = clock.now()
        return last.flatMap {
            writer.report(of: $0, age: $0.age(at: now), now: clock.utc(), trigger: .response, to: .destinations)
        }
    }

    func brokerDestination(at url: String) -> FleetInterface.Destination {
        var destination = FleetInterface.Destination(
            name: "broker", url: url, waiting: waiting, problem: state.broker)
        destination.lastDelivery = figures.lastAcknowledgement
        return destination
    }

    /// Why there is no location, if that is known.
    var obstacle: String? { times.reason ?? state.locations?.reason }

    func reportFailure(_ error: OutboxError) {
        let reason = error.description
        if state.outbox != reason { logger.error("the outbox failed", metadata: ["reason": "\(reason)"]) }
        state.outbox = reason
        reportState()
    }

    func reportState() {
        state.waiting = waiting
        let notification = state.notification
        guard notification != reported else { return }
        reported = notification
        report(notification)
    }
}
