@_spi(Programs) import LocationModel

/// What keeps the sources from running although the service is on and somebody needs them.
enum SourceHold: Equatable {
    case sleep
    case battery(percent: Int, minimum: Int)
    /// Every source is switched off.
    case switches(reason: String)

    var status: SourceStatus {
        switch self {
        case .sleep: SourceStatus(state: .stopped, reason: "the machine is going to sleep")
        case .battery(let percent, let minimum):
            SourceStatus(
                state: .unavailable,
                reason: "the battery is at \(percent) %, below the \(minimum) % of power.minimum-battery")
        case .switches(let reason): SourceStatus(state: .unavailable, reason: reason)
        }
    }
}

/// What may keep the sources from running, besides the switches: the machine's sleep and its battery.
struct Holds: HubPart {
    var sleep = SleepHold()
    var battery = BatteryGuard()

    /// What keeps every source from running now; `nil` for nothing.
    func present(_ settings: HubSettings) -> SourceHold? {
        if sleep.isActive { return .sleep }
        guard let minimum = settings.minimumBattery, battery.isLow, let percent = battery.percent else { return nil }
        return .battery(percent: Int(percent), minimum: minimum)
    }

    func deadline(_ settings: HubSettings, _ permit: SourcePermit) -> BootInstant? {
        var next = sleep.deadline
        if settings.minimumBattery != nil, permit.isNeeded { next.formEarlier(battery.nextDeadline) }
        return next
    }

    mutating func advance(to now: BootInstant, settings: HubSettings) { sleep.advance(to: now) }
}
