@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import LocationServer

/// The audit's file and the records that wait to be written: at most as many as the inbox holds; above that the
/// oldest is dropped and counted.
struct AuditLog: Sendable {
    private struct Entry {
        let record: AuditRecord
        let line: [UInt8]
    }

    private let file: AuditFile
    private var limits: AuditLimits
    private var waiting: ArraySlice<Entry> = []
    /// The day on which the file was last scanned for records that are too old.
    private var sweptDay: Int?
    /// Whether a sync is due, and whether at once.
    private var isUnforced = false
    private var hasDecision = false
    /// The number of invalid lines found in the last scan of the file.
    private(set) var unreadable = 0

    init(file: AuditFile, limits: AuditLimits) {
        self.file = file
        self.limits = limits
    }

    var waitingCount: Int { waiting.count }

    /// - Returns: the number of records lost.
    mutating func applyInbox(_ news: AuditInbox.Contents) -> Int {
        if let limits = news.limits, limits != self.limits {
            self.limits = limits
            sweptDay = nil
        }
        var lost = news.lost
        for record in news.records {
            guard let line = record.line else {
                lost += 1
                continue
            }
            waiting.append(Entry(record: record, line: line))
        }
        let excess = max(0, waiting.count - AuditInbox.capacity)
        waiting.removeFirst(excess)
        return lost + excess
    }

    /// Writes the waiting records; those that cannot be written keep waiting.
    ///
    /// A decision is synced to the disk at once. Other records are not: a sync costs milliseconds and wear each time,
    /// and a power failure loses only what the system has not written within half a minute.
    /// - Parameter isLast: syncs in any case.
    mutating func write(at now: UTCTime, isLast: Bool = false) throws(AuditFailure) {
        // When there is no room to rewrite the file without old records, there may still be room to append.
        var failure = sweep(at: now)
        do {
            try writeWhatWaits(at: now)
            if hasDecision || isLast && isUnforced {
                try file.tail().force()
                isUnforced = false
                hasDecision = false
            }
        } catch {
            failure = error
        }
        if let failure { throw failure }
    }

    /// Removes records that are too old, once a day: before the first record of the day is written.
    private mutating func sweep(at now: UTCTime) -> AuditFailure? {
        let day = AuditTrail.day(of: now)
        guard sweptDay != day else { return nil }
        // Set even if the sweep fails: the next try is on the next day, not at the next record.
        sweptDay = day
        do {
            unreadable = try file.compact(to: limits, at: now).unreadable
            return nil
        } catch {
            return error
        }
    }

    private mutating func writeWhatWaits(at now: UTCTime) throws(AuditFailure) {
        var hasMadeRoom = false
        while let line = waiting.first?.line {
            var tail = try file.tail()
            let growth = tail.growth(by: line)
            guard tail.length + growth <= limits.size else {
                if hasMadeRoom { throw AuditFailure("cannot make room in \(file.path)") }
                try file.compact(to: limits, room: growth, at: now)
                hasMadeRoom = true
                continue
            }
            hasMadeRoom = false
            try appendWhatFits(to: &tail)
        }
    }

    private mutating func appendWhatFits(to tail: inout AuditTail) throws(AuditFailure) {
        while let entry = waiting.first, tail.length + tail.growth(by: entry.line) <= limits.size {
            try tail.append(entry.line)
            isUnforced = true
            if entry.record.isDecision { hasDecision = true }
            waiting.removeFirst()
        }
        if waiting.isEmpty { waiting = [] }
    }

    /// The newest records of one principal or of all, oldest first, including those not written yet.
    func records(of principal: String?, limit: Int) throws(AuditFailure) -> [AuditRecord] {
        func isWanted(_ record: AuditRecord) -> Bool {
            principal == nil || record.principal == principal || record.uid.map { "uid:\($0)" } == principal
        }
        let unwritten = waiting.map(\.record).filter(isWanted).suffix(limit)
        return try file.newest(limit - unwritten.count, within: limits.size, where: isWanted) + unwritten
    }

    /// The records of the present day and of the day before, back to the last one of an earlier day; none while the
    /// clock is not set.
    func recentRecords(at now: UTCTime, limit: Int) throws(AuditFailure) -> [AuditRecord] {
        guard AuditRetention.isSet(now) else { return [] }
        let today = AuditTrail.day(of: now)
        return try file.newest(limit, within: limits.size) { record in
            (today - 1...today).contains(AuditTrail.day(of: record.time))
        } until: { record in
            AuditRetention.isSet(record.time) && AuditTrail.day(of: record.time) < today - 1
        }
    }
}

/// Decides which records are too old, by a wall clock that may be wrong.
///
/// A machine without a real-time clock is in 1970 until its first fix, and any clock may jump. The order of the records
/// is certain, their times are not. Hence:
///
/// 1. A time is valid if its day is not after today, and not before the first release of locationd, when the clock was
///    not set.
/// 2. Age is counted not from the present time, but from the newest valid time of a day before today. Without one, as
///    in 1970, nothing is too old. A clock in the far future makes nothing too old either, unless records were made on
///    two of its days: then it is trusted.
/// 3. Only the beginning of the audit is removed: all before the first record that is young enough, up to the last of
///    them with a valid time. So a record is never removed because the clock was set back or not yet set when it was
///    made: it is removed with those around it.
///
/// In short: records are kept for the configured days and one more; a wrong clock keeps some longer, as far as the file
/// has room.
struct AuditRetention {
    let days: Int

    /// The start of 2025: no locationd has made records before.
    private static let firstDay = UTCTime(seconds: 1_735_689_600)

    /// - Parameter times: the times of all records, in the order of recording.
    /// - Returns: the index of the first record to keep.
    func firstRetained(of times: [UTCTime], at now: UTCTime) -> Int {
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

/// The limits of the audit.
struct AuditLimits: Sendable, Equatable {
    /// At 16 KiB the file has room for the longest line twice. Rewriting reads the file into memory as a whole, so more
    /// than 64 MiB is too much.
    static let sizes = 16_384...67_108_864
    static let dayCounts = 1...3650

    /// How long a record is kept, days.
    let days: Int
    /// The maximum length of the file, bytes.
    let size: Int

    /// Values out of range are clamped.
    init(days: Int = 30, size: Int = 1_048_576) {
        self.days = min(max(days, Self.dayCounts.lowerBound), Self.dayCounts.upperBound)
        self.size = min(max(size, Self.sizes.lowerBound), Self.sizes.upperBound)
    }
}
