@_spi(Programs) import LocationModel
@_spi(Programs) import RegionMonitoring

/// A monitor and its receiver in virtual time.
struct Watchkeeping {
    /// What was told, and when.
    private(set) var events: [(time: Double, event: MonitorEvent)] = []
    /// Seconds the receiver was on.
    private(set) var onTime = 0.0

    /// Seconds from its start to its first fix, and how long it runs on.
    private static let (start, linger) = (3.0, 5.0)

    /// The receiver runs all the time, with so many seconds from fix to fix.
    mutating func run(_ monitor: inout MonitorEngine, _ receiver: inout NoisyReceiver, every period: Double) {
        for time in stride(from: 0, to: receiver.itinerary.end, by: period) {
            applyFix(receiver.fix(at: time), into: &monitor, at: time)
        }
        onTime = receiver.itinerary.end
    }

    /// The receiver runs when a fix is needed.
    mutating func run(onDemand monitor: inout MonitorEngine, _ receiver: inout NoisyReceiver) {
        var (time, ready, offAt) = (0.0, Self.start, Double.infinity)
        while time < receiver.itinerary.end {
            if time >= ready { applyFix(receiver.fix(at: time), into: &monitor, at: time) }
            let next = monitor.nextFix(at: .at(time)).map { $0.seconds(since: .at(0)) } ?? .infinity
            if next <= time { offAt = .infinity } else if offAt == .infinity { offAt = time + Self.linger }
            if time < offAt {
                time += 1
                onTime += 1
            } else {
                time = next.rounded(.up)
                ready = time + Self.start
            }
        }
    }

    private mutating func applyFix(_ fix: Location, into monitor: inout MonitorEngine, at time: Double) {
        for event in monitor.applyFix(fix) { events.append((time, event)) }
    }

    var visits: [Visit] {
        events.compactMap { if case .visit(let visit) = $0.event { visit } else { nil } }
    }

    var changes: [Location] {
        events.compactMap { if case .significantChange(let location) = $0.event { location } else { nil } }
    }
}
