import Fleet
import Glibc
@_spi(Programs) import LocationModel
@_spi(Programs) import SystemSupport

/// Whether locations may be published now, by the configured hours and the machine's clock and time zone.
struct ReportTimes: Sendable {
    private let hours: ReportHours
    private let clock: ServiceClock
    private let local: @Sendable (UTCTime) -> ReportHours.LocalTime

    /// - Parameter local: what the clock on the wall shows at a moment.
    init(
        _ hours: ReportHours, clock: ServiceClock,
        local: @escaping @Sendable (UTCTime) -> ReportHours.LocalTime = { ReportHours.LocalTime(onThisMachine: $0) }
    ) {
        (self.hours, self.clock, self.local) = (hours, clock, local)
    }

    /// Whether there are no configured hours.
    var isAlways: Bool { hours.intervals.isEmpty }

    var isWithinHours: Bool { isAlways || hours.contains(local(clock.utc())) }

    /// Whether a position of so many seconds ago may be published now: both moments are within the hours.
    func allow(age: Double) -> Bool {
        isWithinHours && (isAlways || hours.contains(local(clock.utc().advanced(bySeconds: -age))))
    }

    /// Why nothing is published, and until when; `nil` within the hours.
    var reason: String? {
        guard !isWithinHours else { return nil }
        let end = hours.change(after: clock.utc(), local: local).map { " until \(local($0))" } ?? ""
        return "outside of the configured hours\(end): no location is published"
    }

    /// Seconds to the next change; `nil` if there is none. The clock and the time zone may be set before then.
    var timeToChange: Double? { hours.change(after: clock.utc(), local: local)?.seconds(since: clock.utc()) }
}

extension ReportHours.LocalTime {
    /// What the clock on the wall shows where the machine's time zone holds.
    init(onThisMachine time: UTCTime) {
        // The file of the time zone may have been replaced since the last call, which localtime_r alone does not
        // notice.
        tzset()
        var (seconds, parts) = (time_t(time.seconds), tm())
        localtime_r(&seconds, &parts)
        self.init(weekday: (Int(parts.tm_wday) + 6) % 7, minute: Int(parts.tm_hour) * 60 + Int(parts.tm_min))
    }
}
