import LocationEstimate
@_spi(Programs) import LocationModel

/// The estimators of those who ask for estimates: one for each agility that they name, and none while nobody asks.
struct Estimates: HubPart {
    /// Seconds between two predictions, at least.
    private static let period = 1.0
    /// In these times the usual interval there would have been another fix.
    private static let patience = 1.5

    // Three at most, of each agility that is asked for. Side by side: one struct of all would be copied for each question.
    private var agilities: [Agility] = []
    private var estimators: [Estimator] = []
    /// What each made of the last fix.
    private(set) var ofLastFix: [Location] = []
    private var lastFix: BootInstant?
    /// When the next predictions are due; `nil` while there will be none.
    private var next: BootInstant?
    /// Seconds between two predictions.
    private var step = period
    /// True if a change of the sources' state was kept from those who receive predictions.
    private(set) var owesStatus = false

    /// Whether anything is known of former fixes.
    var isActive: Bool { !agilities.isEmpty }

    /// By the number of each agility, which of ``ofLastFix`` is its own. It has one if anybody asks for it.
    var places: [Int] { Agility.allCases.map { agilities.firstIndex(of: $0) ?? 0 } }

    /// True while predictions go on where fixes have ended: the watches that ask for estimates have a position then.
    func isPredicting(at now: BootInstant) -> Bool {
        guard next != nil, let lastFix else { return false }
        return now.seconds(since: lastFix) < Estimator.predictionLimit
    }

    /// Takes a fix of the followed receiver.
    ///
    /// - Parameters:
    ///   - agilities: those that are asked for, each once; the estimators of others end.
    ///   - interval: the source's seconds between two fixes, if that is known.
    mutating func apply(_ fix: Location, for agilities: [Agility], interval: Double?) {
        if self.agilities != agilities { run(agilities, fix) }
        owesStatus = false
        var isMoving = false
        for index in estimators.indices {
            ofLastFix[index] = estimators[index].apply(fix)
            isMoving = isMoving || estimators[index].isMoving
        }
        lastFix = fix.monotonicTime
        step = max(Self.period, interval ?? 0)
        next = isMoving ? fix.monotonicTime.advanced(bySeconds: step * Self.patience) : nil
    }

    /// Keeps the estimators that go on, and begins others.
    private mutating func run(_ wanted: [Agility], _ fix: Location) {
        estimators = wanted.map { one in agilities.firstIndex(of: one).map { estimators[$0] } ?? Estimator(one) }
        // Each is replaced at once.
        (agilities, ofLastFix) = (wanted, wanted.map { _ in fix })
    }

    /// The receiver says that it has no fix: the next prediction need not wait for one that is late.
    mutating func expectNoFix(at now: BootInstant) {
        guard let next, let lastFix else { return }
        self.next = min(next, max(now, lastFix.advanced(bySeconds: step)))
    }

    /// What a fix is estimated to, for whoever begins now.
    func estimate(of fix: Location, _ agility: Agility) -> Location {
        if let index = agilities.firstIndex(of: agility), ofLastFix[index].sequence == fix.sequence {
            return ofLastFix[index]
        }
        var estimator = Estimator(agility)
        return estimator.apply(fix)
    }

    /// The predictions that are due, without numbers.
    mutating func consumeDue(at now: BootInstant) -> [(Agility, Location)] {
        guard let next, next <= now, let lastFix else { return [] }
        guard now.seconds(since: lastFix) < Estimator.predictionLimit else {
            self.next = nil
            return []
        }
        // The last moment tells those who receive predictions that they have ended.
        self.next = min(now.advanced(bySeconds: step), lastFix.advanced(bySeconds: Estimator.predictionLimit))
        return zip(agilities, estimators).compactMap { one, estimator in estimator.predicted(at: now).map { (one, $0) }
        }
    }

    mutating func keepStatus() { owesStatus = true }

    /// - Returns: true if a change was kept since the last call, and predictions have ended.
    mutating func consumeOwedStatus(at now: BootInstant) -> Bool {
        guard owesStatus, !isPredicting(at: now) else { return false }
        owesStatus = false
        return true
    }

    /// The sources stop, or are others.
    mutating func end() {
        (agilities, estimators, ofLastFix, lastFix, next) = ([], [], [], nil, nil)
    }

    func deadline(_ settings: HubSettings, _ permit: SourcePermit) -> BootInstant? { next }
}
