@_spi(Programs) import LocationModel
import LocationServer
import Logging

/// Decides which records are written at once, and which are only counted because an equal one was written recently.
/// Pure.
///
/// Two records are equal if sentence, place and metadata are, except for ``incidental`` keys. Counted records are
/// written once, before the next record that is written or ``interval`` after the last output: the latest of them, with
/// the count. So the order of the lines is that of the events, and the last line shows the last state.
///
/// Records that an administrator relies on are always written, and so are those below `info`, which are logged only on
/// request.
struct LogRepeats {
    /// Metadata keys that differ between events of the same kind.
    static let incidental: Set = ["client", "pid", "total", "example"]
    /// The most kinds of record that are remembered; beyond that the one written least recently is forgotten.
    static let capacity = 128
    /// The most kinds with the same sentence and place. Beyond that their metadata is ignored, so that a client that
    /// chooses the metadata, with different names each time, cannot fill the log.
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
        var lastLogged: BootInstant
        var count = 0
        /// The latest counted record, and its number among all counted ones.
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

    /// Adds a record.
    /// - Returns: the records to write, in this order.
    mutating func applyRecord(_ record: LogRecord, at now: BootInstant) -> [LogRecord] {
        guard record.level >= .info else { return [record] }
        let due = advance(to: now)
        guard record.event?.isLoggedEachTime != true else { return logCounted(at: now) + [record] }
        let kind = kind(of: record)
        if windows[kind] != nil {
            counted += 1
            windows[kind]?.count += 1
            windows[kind]?.latest = record
            windows[kind]?.number = counted
            return due
        }
        let news = due + logCounted(at: now) + [record]
        if windows.count >= Self.capacity, let oldest = windows.min(by: { $0.value.lastLogged < $1.value.lastLogged }) {
            windows[oldest.key] = nil
        }
        windows[kind] = Window(lastLogged: now, latest: record)
        return news
    }

    private func kind(of record: LogRecord) -> Kind {
        var kind = Kind(record)
        let hasVariety = windows.keys.count { $0.sentence == kind.sentence && $0.place == kind.place } >= Self.variety
        if hasVariety, windows[kind] == nil { kind.values = [] }
        return kind
    }

    /// Advances the time.
    /// - Returns: the records to write, in this order.
    mutating func advance(to now: BootInstant) -> [LogRecord] {
        let isDue = deadline.map { $0 <= now } ?? false
        let news = isDue ? logCounted(at: now) : []
        windows = windows.filter { now.seconds(since: $0.value.lastLogged) < interval }
        return news
    }

    /// When counted records are due; `nil` if there are none.
    var deadline: BootInstant? {
        windows.values.filter { $0.count > 0 }.map(\.lastLogged).min()?.advanced(bySeconds: interval)
    }

    private mutating func logCounted(at now: BootInstant) -> [LogRecord] {
        let kinds = windows.filter { $0.value.count > 0 }.sorted { $0.value.number < $1.value.number }
        for (kind, _) in kinds {
            windows[kind]?.lastLogged = now
            windows[kind]?.count = 0
        }
        return kinds.map { _, window in
            var record = window.latest
            record.repeats = window.count
            return record
        }
    }
}
