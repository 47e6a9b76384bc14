import LocationModel
import LocationServer

/// Which records are too old to be kept, by a wall clock that may be wrong.
///
/// A machine without a clock of its own is in 1970 until its first fix, and any clock may jump. The order in which
/// records were noted is certain, their times are not. Hence:
///
/// 1. A time counts if its day is not after today, and not before the days of locationd: such a clock was not set.
/// 2. Age is counted not from the clock's present, but from the newest time that counts of a day before today. Without
///    one, as in 1970, nothing is too old. A clock in the far future makes nothing too old either, unless records were
///    noted on two of its days: then it is believed.
/// 3. The history loses its beginning only: all before the first record that is young enough, up to the last of them
///    whose time counts. So a record goes neither for a clock that was set back when it was noted, nor for one that was
///    not yet set: it goes with those around it.
///
/// In short: records are kept for the days and one more; a wrong clock keeps some longer, as far as the file has room.
struct HistoryRetention {
    let days: Int

    /// The start of 2025: no locationd has noted anything before.
    private static let firstDay = UTCTime(seconds: 1_735_689_600)

    /// - Parameter times: of all records, in the order in which they were noted.
    /// - Returns: the index of the first that is to be kept.
    func firstKept(of times: [UTCTime], at now: UTCTime) -> Int {
        let today = AuditTrail.day(of: now)
        func counts(_ time: UTCTime) -> Bool { Self.isSet(time) && AuditTrail.day(of: time) <= today }
        let newest = times.filter { counts($0) && AuditTrail.day(of: $0) < today }.max()
        guard let newest else { return 0 }
        let oldest = UTCTime(seconds: newest.seconds - Int64(days) * 86_400)
        let firstYoung = times.firstIndex { counts($0) && $0 >= oldest } ?? times.endIndex
        return times[..<firstYoung].lastIndex(where: counts).map { $0 + 1 } ?? 0
    }

    /// False for the time of a clock that was never set, which cannot tell days apart.
    static func isSet(_ time: UTCTime) -> Bool { time >= firstDay }
}
