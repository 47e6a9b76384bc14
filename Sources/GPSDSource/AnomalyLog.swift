import LocationModel

/// Lines that cannot be used: each is counted; each kind is told once, and then once a minute at most, without its
/// digits: the log is not to learn where the machine is.
struct AnomalyLog {
    static let interval = 60.0

    private var kinds: [String: (total: Int, told: BootInstant)] = [:]

    /// - Returns: what to tell, or `nil` if the kind was told a short while ago.
    mutating func note(_ kind: String, example: [UInt8], at now: BootInstant) -> SourceEvent? {
        let total = (kinds[kind]?.total ?? 0) + 1
        if let told = kinds[kind]?.told, now.seconds(since: told) < Self.interval {
            kinds[kind] = (total, told)
            return nil
        }
        kinds[kind] = (total, now)
        return .anomaly(kind: kind, total: total, example: Printable.line(example.map(Self.masked)))
    }

    private static func masked(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) ? UInt8(ascii: "#") : byte
    }
}
