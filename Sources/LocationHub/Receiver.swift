import LocationModel

/// A receiver: the rank of its source (0 is preferred; negative is injected by hand) and its device.
package struct ReceiverKey: Sendable, Hashable {
    package let rank: Int
    package let device: String?
}

/// What is known of one receiver.
struct Receiver {
    let key: ReceiverKey
    private(set) var lastFix: Location?
    /// When the present run of fixes began; `nil` while there is no fix.
    private(set) var fixSince: BootInstant?
    private(set) var epoch = EpochEstimate()
    /// False until a fix came since the source last stopped.
    private(set) var isSameRun = false
    var satellites: [Satellite]?
    var satellitesTime: BootInstant?

    init(key: ReceiverKey) {
        self.key = key
    }

    var hasFix: Bool { fixSince != nil }

    /// - Returns: false if the fix repeats the one before exactly: the same device and time, everything equal, whatever
    ///   the receiver said in between in the same run. Without a time every fix counts.
    mutating func take(_ location: Location, staleAfter: Double) -> Bool {
        if let lastFix, isSameRun, location.timestamp != nil, location.saysTheSame(as: lastFix) { return false }
        isSameRun = true
        if let lastFix, location.monotonicTime.seconds(since: lastFix.monotonicTime) >= patience(staleAfter) {
            fixSince = nil
        }
        epoch.observe(location)
        lastFix = location
        if fixSince == nil { fixSince = location.monotonicTime }
        return true
    }

    mutating func loseFix() {
        fixSince = nil
    }

    /// It is not listened to any more; the time until it is again says nothing about it.
    mutating func stop() {
        loseFix()
        epoch.pause()
        isSameRun = false
    }

    /// How long its last fix is fresh.
    func patience(_ staleAfter: Double) -> Double {
        max(staleAfter, 3 * (epoch.interval ?? 0))
    }

    /// When its fix will be stale; `nil` while it has none.
    func staleAt(_ staleAfter: Double) -> BootInstant? {
        guard hasFix, let lastFix else { return nil }
        return lastFix.monotonicTime.advanced(bySeconds: patience(staleAfter))
    }

    func isLive(at now: BootInstant, staleAfter: Double) -> Bool {
        staleAt(staleAfter).map { now < $0 } ?? false
    }
}
