/// What a source tells, one thing at a time and in order.
public enum SourceEvent: Sendable, Equatable {
    /// A receiver knows where it is. `sequence` is not given yet.
    case fix(Location)
    /// A receiver says that it does not know where it is.
    case noFix(device: String?)
    /// A receiver's view of the sky.
    case satellites([Satellite], device: String?, at: BootInstant)
    /// A compass reading.
    case heading(Heading, device: String?, at: BootInstant)
    /// The source's own condition changed.
    case condition(SourceCondition)
    /// Something came that cannot be used; told once a minute at most for each kind, with the count so far.
    case anomaly(kind: String, total: Int, example: String)
}

/// How a source itself is doing, apart from any receiver's fix.
public enum SourceCondition: Sendable, Hashable {
    /// Trying to reach its receivers; the reason tells why a former try failed.
    case connecting(reason: String?)
    /// Its receivers can be heard, or will be; the reason tells what is missing, if anything is known to be.
    case connected(reason: String?)
    /// Several tries failed; it goes on trying.
    case unavailable(reason: String)

    /// What is missing, in words; `nil` if nothing is.
    public var reason: String? {
        switch self {
        case .connecting(let reason), .connected(let reason): reason
        case .unavailable(let reason): reason
        }
    }
}
