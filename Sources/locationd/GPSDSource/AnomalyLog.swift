@_spi(Programs) import LocationModel

/// Counts unusable lines. Each kind is reported once, and then at most once a minute, without its digits, so that the
/// log does not contain the position.
struct AnomalyLog {
    static let interval = 60.0

    private var kinds: [String: (total: Int, lastLogged: BootInstant)] = [:]

    /// - Returns: the event to report, or `nil` if the kind was reported within the last minute.
    mutating func note(_ kind: String, example: [UInt8], at now: BootInstant) -> SourceEvent? {
        let total = (kinds[kind]?.total ?? 0) + 1
        if let lastLogged = kinds[kind]?.lastLogged, now.seconds(since: lastLogged) < Self.interval {
            kinds[kind] = (total, lastLogged)
            return nil
        }
        kinds[kind] = (total, now)
        return .anomaly(kind: kind, total: total, example: Printable.line(example.map(Self.masked)))
    }

    private static func masked(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? UInt8(ascii: "#") : byte
    }
}
