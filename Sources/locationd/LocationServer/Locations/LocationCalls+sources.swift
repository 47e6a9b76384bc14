import CoreMetrics
import LocationHub
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import Logging
import ServiceServer
@_spi(Programs) import SystemSupport
import Varlink

/// What comes from the sources, and what is done for it from time to time.
struct SourceInput {
    fileprivate weak var mailbox: Mailbox?
    /// Whether satellite reports wake the loop.
    fileprivate var wantsSatellites = true
    fileprivate var locationPersisted: BootInstant?
    fileprivate var wallClockRead: BootInstant?
    var fixLog = FixLog()
    fileprivate var trueNorth = TrueNorth()
}

/// Events of the sources.
extension LocationCalls {
    /// Seconds between two looks at the system's clock, by which receivers' dates are judged.
    private static let wallClockInterval = 10.0
    /// The least seconds between two writes of the last location.
    private static let persistenceInterval = 60.0

    /// Reads the events that sources have put into the mailbox.
    func read(_ mailbox: Mailbox) {
        guard !context.isFinishing else { return }
        // A fix after the end of a term must not be sent under it, however late the timer is.
        decisions?.endDueDecisions()
        if input.mailbox == nil { input.mailbox = mailbox }
        // The first location that a principal receives on a day is recorded, so it must not be sent directly.
        if audit.advanceDay() { delivery.directSends.disableAll() }
        usage.advanceHour()
        readWallClockIfDue()
        let contents = mailbox.empty()
        if contents.lostFixes > 0 { carryOut(hub.loseFixes(contents.lostFixes)) }
        for entry in contents.entries {
            switch entry.event {
            case .heading(let heading, let device, let time):
                let complete = SourceEvent.heading(completed(heading), device: device, at: time)
                carryOut(hub.applyEvent(complete, from: entry.rank, at: now))
            default: carryOut(hub.applyEvent(entry.event, from: entry.rank, at: now))
            }
        }
        followUp()
        if let seconds = hub.consumeTimeToFirstFix() { context.instruments.timeToFirstFix.recordSeconds(seconds) }
        persistLocationIfDue()
    }

    private func readWallClockIfDue() {
        let now = now
        if let read = input.wallClockRead, now.seconds(since: read) < Self.wallClockInterval { return }
        input.wallClockRead = now
        hub.wallClock = WallClock(
            utc: utc, at: now, isSynchronized: environment.operations.isClockSynchronized)
    }

    /// Adds the true heading to a magnetic one.
    private func completed(_ heading: Heading) -> Heading {
        let complete = input.trueNorth.complete(heading, near: hub.lastLocation, at: now, utc: utc)
        if let problem = input.trueNorth.consumeProblem() { logger.log(.trueNorthUnknown, ["reason": "\(problem)"]) }
        return complete
    }

    private func persistLocationIfDue() {
        guard let last = hub.lastLocation else { return }
        if let persisted = input.locationPersisted,
            last.monotonicTime.seconds(since: persisted) < Self.persistenceInterval
        {
            return
        }
        input.locationPersisted = last.monotonicTime
        environment.state.persistLocation(last)
        perform(hub.reviewMonitors())
    }

    /// Satellite reports wake the loop only while a client wants them.
    func updateWantsSatellites() {
        let isWanted = hub.needs.sky > 0
        guard isWanted != input.wantsSatellites, let mailbox = input.mailbox else { return }
        input.wantsSatellites = isWanted
        mailbox.setNeedsSatellites(isWanted)
    }

    func replaceSources(_ names: [String], compasses: [String], lowPower: Set<String>) {
        // The last events of the replaced sources must not be attributed to the new ones with the same ranks.
        if let mailbox = input.mailbox { read(mailbox) }
        perform(hub.replaceSources(names, compasses: compasses, lowPower: lowPower, at: now))
    }
}

/// Sources off by the master switch, while the machine sleeps, while the battery is low, and one by one.
extension LocationCalls {
    func start(_: Call, for client: ServerClient) { setEnabled(true, for: client) }

    func stop(_: Call, for client: ServerClient) { setEnabled(false, for: client) }

    private func setEnabled(_ enabled: Bool, for client: ServerClient) {
        logger.log(enabled ? .switchedOn : .switchedOff, ["by": "\(client.administrator)"])
        perform(hub.setEnabled(enabled, at: now))
        let state = environment.state
        // Synchronously, to keep the order of the calls; tasks have no order.
        state.setEnabled(enabled)
        context.reply(to: client, NoParameters()) { try await state.persistSwitch() }
    }

    func setSource(_ call: Call, for client: ServerClient) throws(ErrorReply) {
        let parameters = try call.parameters(as: SetSourceParameters.self)
        guard hub.sourceNames.contains(parameters.name) else {
            throw ErrorReply(
                AdminInterface.Failure.noSuchSource,
                parameters: UnknownSource(name: parameters.name, known: hub.sourceNames))
        }
        logger.log(
            parameters.enabled ? .sourceSwitchedOn : .sourceSwitchedOff,
            ["source": "\(parameters.name)", "by": "\(client.administrator)"])
        perform(hub.setSource(parameters.name, enabled: parameters.enabled, at: now))
        let state = environment.state
        // Synchronously, to keep the order of the calls, as for the master switch.
        state.setSwitchedOffSources(hub.switchedOffSources)
        context.reply(to: client, NoParameters()) { try await state.persistSwitch() }
    }

    /// Answers when the sources have stopped, because the machine sleeps then.
    func suspend(_: Call, for client: ServerClient) {
        logger.log(.suspended, ["by": "\(client.administrator)"])
        perform(hub.prepareForSleep(at: now))
        let (sources, clock) = (environment.sources, context.clock)
        context.tasks.run(on: environment.operations.tasks) {
            await withTaskGroup { group in
                group.addTask { await sources.awaitStop() }
                group.addTask { try? await clock.sleep(.seconds(Self.stopTimeout)) }
                await group.next()
                group.cancelAll()
            }
        } completion: { _ in
            client.connection.reply(NoParameters())
        }
    }

    func resume(_: Call, for client: ServerClient) {
        logger.log(.resumed, ["by": "\(client.administrator)"])
        perform(hub.resume(at: now))
        client.connection.reply(NoParameters())
    }

    /// Seconds for which the reply to `Suspend` waits for the sources.
    private static let stopTimeout = 3

    /// The system may read the battery from a slow controller, so this is done off the event loop.
    func readBattery() {
        let operations = environment.operations
        context.tasks.run(on: operations.waitingTasks) {
            await operations.battery()
        } completion: { [weak self] result in
            let failed = BatteryReading.unusable(reason: "the battery cannot be read")
            self?.applyBattery((try? result.get()) ?? failed)
        }
    }

    private func applyBattery(_ reading: BatteryReading) {
        guard !context.isFinishing else { return }
        let wasLow = hub.batteryState?.isLow ?? false
        let (actions, fault) = hub.applyBattery(reading, at: now)
        if let fault { logger.log(.batteryDoubted, ["reason": "\(fault)"]) }
        if let state = hub.batteryState, state.isLow != wasLow {
            let level: Logger.Metadata = state.percent.map { ["percent": "\(Int($0))"] } ?? [:]
            logger.log(state.isLow ? .batteryLow : .batterySufficient, level)
        }
        perform(actions)
    }

    func simulate(_ call: Call, for client: ServerClient) throws(ErrorReply) {
        let parameters = try call.parameters(as: SimulateParameters.self)
        guard hub.isEnabled else { throw ErrorReply(AdminInterface.Failure.disabled) }
        var location = parameters.location
        if let wrong = location.firstImpossibleField {
            throw .invalidParameter("location.\(wrong)", reason: "the number cannot be")
        }
        guard location.mode != .unknown, location.augmentation != .unknown else {
            let field = location.mode == .unknown ? "mode" : "augmentation"
            throw .invalidParameter("location.\(field)", reason: "there is none of that name")
        }
        location.monotonicTime = now
        location.implausibility = nil
        location.source = SourceInformation(
            name: "simulate", method: parameters.isReplayed ?? false ? .replayed : .simulated, isSimulated: true)
        logger.log(.locationInjected, ["by": "\(client.administrator)"])
        perform(hub.applyEvent(.fix(location), from: Hub.injectedRank, at: now))
        client.connection.reply(SimulateReply(sequence: hub.lastSequence))
    }
}
