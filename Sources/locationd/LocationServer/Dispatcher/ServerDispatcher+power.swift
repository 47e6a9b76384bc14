import LocationHub
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import Logging
import ServiceServer
@_spi(Programs) import SystemSupport
import Varlink

/// Sources off while the machine sleeps, while the battery is low, and one by one.
extension ServerDispatcher {
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
        reply(to: client, NoParameters()) { try await state.persistSwitch() }
    }

    /// Answers when the sources have stopped, because the machine sleeps then.
    func suspend(_: Call, for client: ServerClient) {
        logger.log(.suspended, ["by": "\(client.administrator)"])
        perform(hub.prepareForSleep(at: now))
        let (sources, clock) = (environment.sources, clock)
        tasks.run(on: environment.operations.tasks) {
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
        tasks.run(on: operations.waitingTasks) {
            await operations.battery()
        } completion: { [weak self] result in
            let failed = BatteryReading.unusable(reason: "the battery cannot be read")
            self?.applyBattery((try? result.get()) ?? failed)
        }
    }

    private func applyBattery(_ reading: BatteryReading) {
        guard !isFinishing else { return }
        let wasLow = hub.batteryState?.isLow ?? false
        let (actions, fault) = hub.applyBattery(reading, at: now)
        if let fault { logger.log(.batteryDoubted, ["reason": "\(fault)"]) }
        if let state = hub.batteryState, state.isLow != wasLow {
            let level: Logger.Metadata = state.percent.map { ["percent": "\(Int($0))"] } ?? [:]
            logger.log(state.isLow ? .batteryLow : .batterySufficient, level)
        }
        perform(actions)
    }

    var batteryReport: BatteryReport? {
        guard let state = hub.batteryState, let minimum = hub.settings.minimumBattery else { return nil }
        return BatteryReport(
            level: state.percent, discharging: state.percent.map { _ in state.isDischarging }, minimum: minimum,
            low: state.isLow, faults: state.faults)
    }
}
