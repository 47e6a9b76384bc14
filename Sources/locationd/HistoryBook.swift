import LocationInterface
import LocationModel
import LocationServer

/// The history's file together with what waits to be written: at most as much as the inbox holds, then the oldest
/// gives way and is counted.
struct HistoryBook: Sendable {
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
    mutating func take(_ news: HistoryInbox.Contents) -> Int {
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
