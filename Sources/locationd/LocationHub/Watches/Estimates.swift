import LocationEstimate
@_spi(Programs) import LocationModel

/// The estimators of those who ask for estimates: one for each agility that they name, and none while nobody asks.
struct Estimates: HubPart {
    /// Seconds between two predictions, at least.
    private static let period = 1.0
    /// In these times the usual interval there would have been another fix.
    private static let patience = 1.5

    // Three at most, of each agility that is asked for. Side by side: one struct of all would be copied for each
    // question.
    private var agilities: [Agility] = []
    private var estimators: [Estimator] = []
    /// What each made of the last fix.
    private(set) var ofLastFix: [Location] = []
    /// Of each, whether the machine moves, so that there are predictions.
    private var isMoving: [Bool] = []
    private var lastFix: BootInstant?
    private var lastCoordinate: Coordinate?
    /// When the next predictions are due; `nil` while there will be none.
    private var next: BootInstant?
    /// Whether there were predictions since the last fix.
    private var hasPredicted = false
    /// Seconds between two predictions.
    private var step = period
    /// True if a change of the sources' state was kept from those who receive predictions.
    var owesStatus = false

    /// Whether anything is known of former fixes.
    var isActive: Bool { !agilities.isEmpty }

    /// By the number of each agility, which of ``ofLastFix`` is its own. It has one if anybody asks for it.
    var places: [Int] { Agility.allCases.map { agilities.firstIndex(of: $0) ?? 0 } }

    /// Those with predictions where fixes have ended: the watches that ask for their estimates have a position then.
    func predicting(at now: BootInstant) -> [Agility] {
        guard next != nil, let lastFix, now.seconds(since: lastFix) < Estimator.predictionLimit else { return [] }
        return zip(agilities, isMoving).filter { $1 }.map { $0.0 }
    }

    /// Takes a fix of the followed receiver.
    ///
    /// - Parameters:
    ///   - agilities: those that are asked for, each once; the estimators of others end.
    ///   - interval: the source's seconds between two fixes, if that is known.
    mutating func apply(_ fix: Location, for agilities: [Agility], interval: Double?) {
        let isNew = self.agilities != agilities
        if isNew { run(agilities, fix) }
        // A network position that a provider goes on telling says nothing new.
        let isRepeated = fix.monotonicTime == lastFix && fix.coordinate == lastCoordinate && !isNew
        for index in estimators.indices {
            if isRepeated {
                ofLastFix[index].sequence = fix.sequence
            } else {
                ofLastFix[index] = estimators[index].apply(fix)
                isMoving[index] = estimators[index].isMoving
            }
        }
        (lastFix, lastCoordinate) = (max(fix.monotonicTime, lastFix ?? fix.monotonicTime), fix.coordinate)
        (step, hasPredicted) = (max(Self.period, interval ?? 0), false)
        next = isMoving.contains(true) ? due(after: step * Self.patience) : nil
    }

    /// So many seconds after the last fix, and at the end of predictions at the latest.
    private func due(after seconds: Double) -> BootInstant? {
        lastFix?.advanced(bySeconds: min(seconds, Estimator.predictionLimit))
    }

    /// Keeps the estimators that go on, and begins others.
    private mutating func run(_ wanted: [Agility], _ fix: Location) {
        estimators = wanted.map { one in agilities.firstIndex(of: one).map { estimators[$0] } ?? Estimator(one) }
        // Each is replaced at once.
        (agilities, ofLastFix, isMoving) = (wanted, wanted.map { _ in fix }, wanted.map { _ in false })
    }

    /// The followed receiver says that it has no fix: the first prediction comes when a fix would have, and not when
    /// one is late.
    mutating func applyLoss(at now: BootInstant) {
        guard let next, !hasPredicted, let due = due(after: step) else { return }
        self.next = min(next, max(now, due))
    }

    /// What the last fix of the followed receiver is estimated to, for whoever begins now. It was when it came, if
    /// anybody asked.
    func estimate(of fix: Location, _ agility: Agility) -> Location {
        if let index = agilities.firstIndex(of: agility) { return ofLastFix[index] }
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
        hasPredicted = true
        // The last moment tells those who receive predictions that they have ended.
        self.next = min(now.advanced(bySeconds: step), lastFix.advanced(bySeconds: Estimator.predictionLimit))
        return zip(agilities, estimators).compactMap { one, estimator in estimator.predicted(at: now).map { (one, $0) }
        }
    }

    /// - Returns: true if a change was kept since the last call, and predictions have ended.
    mutating func consumeOwedStatus(at now: BootInstant) -> Bool {
        guard owesStatus, predicting(at: now).isEmpty else { return false }
        owesStatus = false
        return true
    }

    /// The sources stop: nothing is predicted until the next fix.
    mutating func endPredictions() { (next, owesStatus) = (nil, false) }

    /// The sources are others, or nobody asks any more.
    mutating func end() {
        (agilities, estimators, ofLastFix, isMoving) = ([], [], [], [])
        (lastFix, next, owesStatus) = (nil, nil, false)
    }

    func deadline(_ settings: HubSettings, _ permit: SourcePermit) -> BootInstant? { next }
}
