import LocationInterface
import LocationModel
import LocationServer

/// The history's file together with what waits to be written: at most as much as the inbox holds, then the oldest
/// gives way and is counted.
struct HistoryLog: Sendable {
    private struct Entry {
        let record: HistoryRecord
        let line: [UInt8]
    }

    private let file: HistoryFile
    private var limits: HistoryLimits
    private var waiting: ArraySlice<Entry> = []
    /// The day on which the file was last gone through for what is too old.
    private var sweptDay: Int?
    /// Whether the disk is yet to be waited for, and whether at once.
    private var isUnforced = false
    private var hasDecision = false
    /// Lines without sense that were found when the file was last gone through.
    private(set) var unreadable = 0

    init(file: HistoryFile, limits: HistoryLimits) {
        self.file = file
        self.limits = limits
    }

    var waitingCount: Int { waiting.count }

    /// - Returns: how many records are lost.
    mutating func applyInbox(_ news: HistoryInbox.Contents) -> Int {
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
        let excess = max(0, waiting.count - HistoryInbox.capacity)
        waiting.removeFirst(excess)
        return lost + excess
    }

    /// Writes what waits; what cannot be written goes on waiting.
    ///
    /// A decision is waited for until the disk has it. The other lines are not: waiting costs milliseconds and wear for
    /// each, and a power loss takes no more than what the system has not written within half a minute.
    /// - Parameter isLast: waits for the disk in any case.
    mutating func write(at now: UTCTime, isLast: Bool = false) throws(HistoryFailure) {
        // What is too old may stay when there is no room to rewrite the file; there may still be room to add to it.
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

    /// Drops what is too old, once a day: before the first of its records is written.
    private mutating func sweep(at now: UTCTime) -> HistoryFailure? {
        let day = AuditTrail.day(of: now)
        guard sweptDay != day else { return nil }
        // Even if it fails: the next try is tomorrow's, not the next record's.
        sweptDay = day
        do {
            unreadable = try file.compact(to: limits, at: now).unreadable
            return nil
        } catch {
            return error
        }
    }

    private mutating func writeWhatWaits(at now: UTCTime) throws(HistoryFailure) {
        var hasMadeRoom = false
        while let line = waiting.first?.line {
            var tail = try file.tail()
            let growth = tail.growth(by: line)
            guard tail.length + growth <= limits.size else {
                if hasMadeRoom { throw HistoryFailure("cannot make room in \(file.path)") }
                try file.compact(to: limits, room: growth, at: now)
                hasMadeRoom = true
                continue
            }
            hasMadeRoom = false
            try appendWhatFits(to: &tail)
        }
    }

    private mutating func appendWhatFits(to tail: inout HistoryTail) throws(HistoryFailure) {
        while let entry = waiting.first, tail.length + tail.growth(by: entry.line) <= limits.size {
            try tail.append(entry.line)
            isUnforced = true
            if entry.record.isDecision { hasDecision = true }
            waiting.removeFirst()
        }
        if waiting.isEmpty { waiting = [] }
    }

    /// The newest records of a principal or all, oldest first, those that wait included.
    func records(of principal: String?, limit: Int) throws(HistoryFailure) -> [HistoryRecord] {
        func isWanted(_ record: HistoryRecord) -> Bool {
            principal == nil || record.principal == principal || record.uid.map { "uid:\($0)" } == principal
        }
        let unwritten = waiting.map(\.record).filter(isWanted).suffix(limit)
        return try file.newest(limit - unwritten.count, where: isWanted) + unwritten
    }

    /// The records of that day, as far back as the last of an earlier one; none while the clock is not set.
    func records(ofTheDayOf now: UTCTime, limit: Int) throws(HistoryFailure) -> [HistoryRecord] {
        guard HistoryRetention.isSet(now) else { return [] }
        let today = AuditTrail.day(of: now)
        return try file.newest(limit) { record in
            AuditTrail.day(of: record.time) == today
        } until: { record in
            HistoryRetention.isSet(record.time) && AuditTrail.day(of: record.time) < today
        }
    }
}

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

/// How much of the history is kept.
struct HistoryLimits: Sendable, Equatable {
    /// A file of 16 KiB has room for the longest line twice; one is read into memory as a whole to be shortened, so
    /// that more than 64 MiB is too much.
    static let sizes = 16_384...67_108_864
    static let dayCounts = 1...3650

    /// How long a record is kept, days.
    let days: Int
    /// How long the file may become, bytes.
    let size: Int

    /// What is out of range is taken to its edge.
    init(days: Int = 30, size: Int = 1_048_576) {
        self.days = min(max(days, Self.dayCounts.lowerBound), Self.dayCounts.upperBound)
        self.size = min(max(size, Self.sizes.lowerBound), Self.sizes.upperBound)
    }
}
