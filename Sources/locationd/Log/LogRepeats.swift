import LocationModel
import LocationServer
import Logging

/// Which records are told at once, and which only counted because the same was told a short while ago. Pure.
///
/// The same is: the same words from the same place with the same data, but for ``incidental`` keys. What was counted is
/// told once, before the next record that is told at all or ``interval`` after it was told last: the latest record says
/// how many there were. So lines stay in the order of what they tell, whichever state they leave things in.
///
/// What an administrator relies on is never counted in place of being told, nor is what is below `info`, which somebody
/// has to ask for.
struct LogRepeats {
    /// Data that tells one happening from the next of the same kind.
    static let incidental: Set = ["client", "pid", "total", "example"]
    /// So many kinds of record are known at a time; beyond that the one that was told first is forgotten.
    static let capacity = 128
    /// So many kinds may have the same words from the same place. Beyond that their data makes no difference, so that who
    /// can choose the data, by other names each time, does not fill the log.
    static let variety = 8

    private struct Kind: Hashable {
        let sentence: String
        let place: String
        var values: [String]

        init(_ record: LogRecord) {
            sentence = record.sentence
            place = record.place
            values = record.data.filter { !LogRepeats.incidental.contains($0.key) }.flatMap { [$0.key, $0.value] }
        }
    }

    private struct Window {
        var told: BootInstant
        var count = 0
        /// The latest that was counted, and its place among all that were.
        var latest: LogRecord
        var number = 0
    }

    private let interval: Double
    private var windows: [Kind: Window] = [:]
    private var counted = 0

    /// - Parameter interval: seconds.
    init(interval: Double = 60) {
        self.interval = interval
    }

    /// Something was logged.
    /// - Returns: what to tell, in this order.
    mutating func applyRecord(_ record: LogRecord, at now: BootInstant) -> [LogRecord] {
        guard record.level >= .info else { return [record] }
        let due = advance(to: now)
        guard record.event?.isToldEachTime != true else { return tellCounted(at: now) + [record] }
        let kind = kind(of: record)
        if windows[kind] != nil {
            counted += 1
            windows[kind]?.count += 1
            windows[kind]?.latest = record
            windows[kind]?.number = counted
            return due
        }
        let news = due + tellCounted(at: now) + [record]
        if windows.count >= Self.capacity, let oldest = windows.min(by: { $0.value.told < $1.value.told }) {
            windows[oldest.key] = nil
        }
        windows[kind] = Window(told: now, latest: record)
        return news
    }

    private func kind(of record: LogRecord) -> Kind {
        var kind = Kind(record)
        let hasVariety = windows.keys.count { $0.sentence == kind.sentence && $0.place == kind.place } >= Self.variety
        if hasVariety, windows[kind] == nil { kind.values = [] }
        return kind
    }

    /// Time passed.
    /// - Returns: what to tell, in this order.
    mutating func advance(to now: BootInstant) -> [LogRecord] {
        let isDue = deadline.map { $0 <= now } ?? false
        let news = isDue ? tellCounted(at: now) : []
        windows = windows.filter { now.seconds(since: $0.value.told) < interval }
        return news
    }

    /// When to tell what was counted; `nil` if nothing was.
    var deadline: BootInstant? {
        windows.values.filter { $0.count > 0 }.map(\.told).min()?.advanced(bySeconds: interval)
    }

    private mutating func tellCounted(at now: BootInstant) -> [LogRecord] {
        let kinds = windows.filter { $0.value.count > 0 }.sorted { $0.value.number < $1.value.number }
        for (kind, _) in kinds {
            windows[kind]?.told = now
            windows[kind]?.count = 0
        }
        return kinds.map { _, window in
            var record = window.latest
            record.repeats = window.count
            return record
        }
    }
}
