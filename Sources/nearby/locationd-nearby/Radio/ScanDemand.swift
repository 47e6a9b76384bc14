import LocationModel

/// Who wants the machine to scan: calls for its position, and good locations that come where nothing was received yet,
/// for which a receiver runs because somebody wants the position.
struct ScanDemand: Sendable, Equatable {
    /// Seconds for which one good location wants a scan: more than between two of a receiver that runs.
    static let patience = 10.0

    /// How many calls want the position.
    var calls = 0
    /// How many state it, and want to know what is received there.
    var statements = 0
    /// The newest location that could teach, had anything been received.
    var location: BootInstant?

    func isThere(at now: BootInstant) -> Bool {
        calls > 0 || statements > 0 || location.map { now.seconds(since: $0) <= Self.patience } == true
    }
}
