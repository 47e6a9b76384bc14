import Glibc
@_spi(Programs) import LocationModel
@_spi(Programs) import SystemSupport

/// Moments for a person to read, the same way in every command's text: in the machine's local time, as they are
/// entered, and with the date unless that is today. JSON and the formats of files have UTC instead.
struct LocalTime: Sendable {
    /// The present moment.
    let now: UTCTime
    /// Seconds by which local time is ahead of UTC at a moment.
    let offset: @Sendable (UTCTime) -> Int64

    /// By the machine's clock and its time zone.
    static var machine: LocalTime { LocalTime(now: MachineClock.utc, offset: { machineOffset(at: $0) }) }

    /// The time to the second, or to a tenth of it.
    func words(_ moment: UTCTime, tenths: Bool = false) -> String {
        let time = local(moment).dropFirst(11).prefix(tenths ? 10 : 8)
        let day = day(of: moment)
        return day == today ? String(time) : "\(day) \(time)"
    }

    /// The time of day alone, to a tenth of a second.
    func timeOfDay(_ moment: UTCTime) -> String { String(local(moment).dropFirst(11).prefix(10)) }

    /// A date as in ISO 8601.
    func day(of moment: UTCTime) -> String { String(local(moment).prefix(10)) }

    var today: String { day(of: now) }

    func moment(secondsAgo age: Double) -> UTCTime { now.advanced(bySeconds: -max(0, age)) }

    /// RFC 3339, without regard to the mark of UTC at its end.
    private func local(_ moment: UTCTime) -> String {
        let shifted = moment.seconds.addingReportingOverflow(offset(moment))
        let local = UTCTime(
            seconds: shifted.overflow ? moment.seconds : shifted.partialValue,
            nanoseconds: Int64(moment.nanoseconds))
        // The wire has no other year.
        return local.hasFourDigitYear ? local.description : "9999-12-31T23:59:59.999Z"
    }

    private static func machineOffset(at moment: UTCTime) -> Int64 {
        var (seconds, parts) = (time_t(moment.seconds), tm())
        return localtime_r(&seconds, &parts) == nil ? 0 : Int64(parts.tm_gmtoff)
    }
}

/// The moment of a location or heading for a person to read: the receiver's own time, or that of its arrival.
struct MomentText {
    let moment: UTCTime
    /// Whether the moment is that of the arrival, because the receiver gives no time.
    let isArrival: Bool

    /// - Parameter age: seconds since it arrived.
    /// - Returns: `nil` if it has neither a time nor an age.
    init?(_ timestamp: UTCTime?, age: Double?, _ clock: LocalTime) {
        guard let moment = timestamp ?? age.map(clock.moment) else { return nil }
        self.moment = moment
        isArrival = timestamp == nil
    }

    /// The moment with what has to be said about it.
    ///
    /// - Parameter implausible: what to say of a receiver's time that is far from the machine's synchronized clock.
    static func words(
        _ location: Location, age: Double?, tenths: Bool = true, implausible: String = "implausible",
        _ clock: LocalTime = .machine
    ) -> String {
        guard let text = MomentText(location.timestamp, age: age, clock) else { return "time unknown" }
        let words = clock.words(text.moment, tenths: tenths)
        if text.isArrival { return "\(words) (arrival)" }
        return location.isTimestampImplausible ? "\(words) (\(implausible))" : words
    }
}
