import LocationInterface
import LocationModel
import SystemSupport

/// The file of the history: one record a line in the order in which they were noted, bounded in length and age.
struct HistoryFile: Sendable {
    let path: String
    var disk = HistoryDisk()

    /// What goes through the file once has found.
    struct Findings {
        var isShortened = false
        /// Lines that are no records.
        var unreadable = 0
    }

    /// Leaves out what is too old and, if there would be no room for so many bytes more, all but the newest: those that
    /// fit in three quarters of the size, so that it is not to be done again soon.
    @discardableResult
    func compact(to limits: HistoryLimits, room: Int = 0, at now: UTCTime) throws(HistoryFailure) -> Findings {
        var findings = Findings()
        guard var lines = try HistoryLines.open(path) else { return findings }
        let isOverfull = lines.length + room > limits.size
        let budget = isOverfull ? min(limits.size / 4 * 3, limits.size - room) : limits.size
        var size = 0
        var newest: [(line: [UInt8], time: UTCTime)] = []
        while let line = try lines.previous() {
            guard case .text(let line) = line, let record = HistoryRecord(line: line) else {
                findings.unreadable += 1
                continue
            }
            size += line.count + 1
            guard size <= budget else { break }
            newest.append((line, record.time))
        }
        newest.reverse()
        let retention = HistoryRetention(days: limits.days)
        let first = retention.firstKept(of: newest.map(\.time), at: now)
        guard isOverfull || first > 0 else { return findings }
        try replace(with: newest[first...].flatMap { $0.line + [0x0A] })
        findings.isShortened = true
        return findings
    }

    /// The file's end, of a new file if there is none; made so that the directory is on the disk too.
    func tail() throws(HistoryFailure) -> HistoryTail {
        if let tail = try HistoryTail.open(path, disk: disk) { return tail }
        try replace(with: [])
        guard let tail = try HistoryTail.open(path, disk: disk) else { throw .system("write", path) }
        return tail
    }

    /// The newest records that satisfy the condition, oldest first.
    /// - Parameter isOver: the first record for which it is true ends the search and is left out.
    func newest(
        _ limit: Int, where condition: (HistoryRecord) -> Bool, until isOver: (HistoryRecord) -> Bool = { _ in false }
    ) throws(HistoryFailure) -> [HistoryRecord] {
        guard limit > 0, var lines = try HistoryLines.open(path) else { return [] }
        var records: [HistoryRecord] = []
        while records.count < limit, let line = try lines.previous() {
            guard case .text(let line) = line, let record = HistoryRecord(line: line) else { continue }
            if isOver(record) { break }
            if condition(record) { records.append(record) }
        }
        return records.reversed()
    }

    private func replace(with bytes: [UInt8]) throws(HistoryFailure) {
        do {
            try AtomicFile(path: path).replace(with: bytes)
        } catch {
            throw HistoryFailure("\(error)")
        }
    }
}
