/// Something that produces fixes while it runs: gpsd, a simulator, a recording, a fixed position.
public protocol LocationSource: Sendable {
    /// The name the configuration gives it, and locations carry.
    var name: String { get }

    /// What the source has counted since it was made, by kind, such as lines it had to reject.
    var counters: [String: Int] { get }

    /// Delivers events until the surrounding task is cancelled, and returns when everything it opened is released.
    ///
    /// A source never fails for good: what it cannot do now it reports as a ``SourceCondition`` and tries again.
    /// `deliver` may be called from any thread, but from one at a time.
    func run(deliver: @escaping @Sendable (SourceEvent) -> Void) async
}

extension LocationSource {
    /// Most sources have nothing to count.
    public var counters: [String: Int] { [:] }
}
