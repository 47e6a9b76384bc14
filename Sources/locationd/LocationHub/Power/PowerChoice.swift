@_spi(Programs) import LocationModel

/// Whether the sources that cost much power, the receivers, are spared: while all who want locations say how accurate
/// these have to be, and a source that costs hardly any knows the position as accurately.
///
/// Such a source is tried first. It has ``HubSettings/failoverDelay`` to show an accurate position; if it does not, the
/// receivers start, and it is not tried again for ``pause`` unless somebody desires less. Receivers that run are spared
/// only once nobody has needed them for ``HubSettings/linger``. A delay of 0 runs all sources, and spares none.
struct PowerChoice {
    /// Seconds after which a source that did not suffice is tried again.
    static let pause = 600.0

    /// What the choice depends on.
    struct Need {
        /// Whether anybody wants locations.
        let isThere: Bool
        /// Metres that suffice for all who want locations; `nil` if somebody wants the best.
        let accuracy: Double?
        /// Whether a source that costs hardly any power has an accurate position now.
        let isServed: Bool
        /// Whether a receiver runs.
        let areReceiversRunning: Bool
    }

    private(set) var sparesReceivers = false
    /// Since when all have been satisfied with an accuracy.
    private var modestSince: BootInstant?
    /// Since when the receivers are spared although nothing shows an accurate position.
    private var unservedSince: BootInstant?
    /// When a source did not suffice last, for which accuracy.
    private var failure: (time: BootInstant, accuracy: Double)?
    private var sparedSince: BootInstant?
    private var sparedBefore = 0.0

    /// Seconds for which receivers were spared.
    func sparedTime(at now: BootInstant) -> Double {
        sparedBefore + (sparedSince.map { now.seconds(since: $0) } ?? 0)
    }

    mutating func update(_ need: Need, at now: BootInstant, settings: HubSettings) {
        // What lingers after the last need changes nothing, and waits for nothing.
        guard need.isThere else {
            (unservedSince, modestSince) = (nil, nil)
            return
        }
        guard let accuracy = need.accuracy, settings.failoverDelay > 0 else { return end(at: now) }
        let since = modestSince ?? now
        modestSince = since
        if !sparesReceivers {
            if let failure, accuracy <= failure.accuracy, now < failure.time.advanced(bySeconds: Self.pause) { return }
            guard !need.areReceiversRunning || since.advanced(bySeconds: settings.linger) <= now else { return }
            sparesReceivers = true
            (sparedSince, unservedSince) = (now, now)
        }
        unservedSince = need.isServed ? nil : unservedSince ?? now
        if let unservedSince, unservedSince.advanced(bySeconds: settings.failoverDelay) <= now {
            failure = (now, accuracy)
            end(at: now)
            modestSince = now
        }
    }

    /// The receivers are spared no longer: somebody wants the best, or nobody wants anything any more.
    mutating func end(at now: BootInstant) {
        sparedBefore = sparedTime(at: now)
        (sparesReceivers, sparedSince, unservedSince, modestSince) = (false, nil, nil, nil)
    }

    /// When the next update is due.
    func deadline(_ settings: HubSettings) -> BootInstant? {
        if sparesReceivers { return unservedSince?.advanced(bySeconds: settings.failoverDelay) }
        guard let modestSince else { return nil }
        let lingered = modestSince.advanced(bySeconds: settings.linger)
        guard let failure else { return lingered }
        return max(lingered, failure.time.advanced(bySeconds: Self.pause))
    }
}
