import LocationModel

/// Lines that cannot be used: each is counted; each kind is told once, and then once a minute at most.
struct AnomalyLog {
    static let interval = 60.0
    /// Of a bad line, so much is shown.
    static let exampleLength = 80

    private var kinds: [String: (total: Int, told: BootInstant)] = [:]

    /// - Returns: what to tell, or `nil` if the kind was told a short while ago.
    mutating func note(_ kind: String, example: [UInt8], at now: BootInstant) -> SourceEvent? {
        let total = (kinds[kind]?.total ?? 0) + 1
        if let told = kinds[kind]?.told, now.seconds(since: told) < Self.interval {
            kinds[kind] = (total, told)
            return nil
        }
        kinds[kind] = (total, now)
        return .anomaly(kind: kind, total: total, example: Self.printable(example))
    }

    /// Hostile bytes must not steer the administrator's terminal.
    private static func printable(_ bytes: [UInt8]) -> String {
        let shown = bytes.prefix(exampleLength).map { (0x20..<0x7F).contains($0) ? Character(Unicode.Scalar($0)) : "?" }
        return String(shown) + (bytes.count > exampleLength ? "…" : "")
    }
}
