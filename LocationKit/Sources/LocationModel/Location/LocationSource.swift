/// Something that produces fixes while it runs: gpsd, a simulator, a recording, a fixed position.
public protocol LocationSource: Sendable {
    /// The name from the configuration, which its locations carry.
    var name: String { get }

    /// Whether it gives headings alone. Such a source has no rank among those of locations, and runs only while
    /// headings are wanted.
    var isCompass: Bool { get }

    /// Whether it costs hardly any power: a source that does runs in place of others while it is as accurate as all
    /// programs desire.
    var isLowPower: Bool { get }

    /// The path of its one receiver, where the configuration names it.
    var device: String? { get }

    /// What the source has counted since it was made, by kind, such as lines it had to reject.
    var counters: [String: Int] { get }

    /// What suffices for all who want locations has changed; `nil` for the best. It may be called before
    /// ``run(deliver:)``, and while it runs.
    /// - Parameter accuracy: metres.
    func setDesiredAccuracy(_ accuracy: Double?)

    /// Delivers events until the surrounding task is cancelled, and returns when everything it opened is released.
    ///
    /// A source never fails for good: it reports what it cannot do at present as a ``SourceCondition`` and tries again.
    /// `deliver` may be called from any thread, but from one at a time.
    func run(deliver: @escaping @Sendable (SourceEvent) -> Void) async

    /// The same; while `needsSatellites` is false, nobody receives lists of satellites, and their counts suffice.
    ///
    /// - Parameter needsSatellites: may be called from any thread, and changes at any time.
    func run(
        needsSatellites: @escaping @Sendable () -> Bool, deliver: @escaping @Sendable (SourceEvent) -> Void
    ) async
}

extension LocationSource {
    /// Most sources give locations.
    public var isCompass: Bool { false }

    /// A receiver of satellites' signals costs power; a position that is written down costs none, and replaces no
    /// receiver.
    public var isLowPower: Bool { false }

    /// Most sources use the receivers they find, or have none.
    public var device: String? { nil }

    /// Most sources are as accurate as they can.
    public func setDesiredAccuracy(_ accuracy: Double?) {}

    /// Most sources have nothing to count.
    public var counters: [String: Int] { [:] }

    /// Most sources have their satellites at hand.
    public func run(
        needsSatellites: @escaping @Sendable () -> Bool, deliver: @escaping @Sendable (SourceEvent) -> Void
    ) async {
        await run(deliver: deliver)
    }
}

/// An event of a source; events come one at a time and in order.
public enum SourceEvent: Sendable, Equatable {
    /// A receiver has a fix. Its `sequence` is not yet set.
    case fix(Location)
    /// The position that a source knows without a receiver, measured some time before it arrived. It holds, however old
    /// the measurement, while it arrives again.
    case position(Location, arrived: BootInstant)
    /// A receiver reports that it has no fix.
    case noFix(device: String?)
    /// A receiver's view of the sky.
    case satellites([Satellite], device: String?, at: BootInstant)
    /// The same without the satellites themselves.
    case satelliteCounts(SatelliteCounts, device: String?, at: BootInstant)
    /// A compass reading.
    case heading(Heading, device: String?, at: BootInstant)
    /// The source's own condition changed.
    case condition(SourceCondition)
    /// Unusable input; reported at most once a minute for each kind, with the count so far.
    case anomaly(kind: String, total: Int, example: String)
}

/// How a source itself is doing, apart from any receiver's fix.
public enum SourceCondition: Sendable, Hashable {
    /// Trying to reach its receivers; the reason says why the previous attempt failed.
    case connecting(reason: String?)
    /// Connected: its receivers can be heard. The reason says what is missing, if that is known.
    case connected(reason: String?)
    /// Several attempts failed, or there is no receiver; it goes on trying.
    case unavailable(reason: String)

    /// What is missing, in words; `nil` if nothing is.
    public var reason: String? {
        switch self {
        case .connecting(let reason), .connected(let reason): reason
        case .unavailable(let reason): reason
        }
    }
}
