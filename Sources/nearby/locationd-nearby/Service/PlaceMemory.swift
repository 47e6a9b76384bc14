import AccessPoints
@_spi(Programs) import LocationModel
import Logging
@_spi(Programs) import SystemSupport

/// What the machine receives and where that tells it to be: learns from good locations, and answers without.
///
/// Ownership: the actor alone learns; what is learned and not yet in the file is kept here, and answers like the rest.
actor PlaceMemory {
    /// Seconds for which an observation tells where the machine is: two scans at a minute each may be missed.
    static let freshness = 150.0

    /// Where the machine is, and when it was there.
    struct Answer: Sendable, Equatable {
        let estimate: PlaceEstimate
        let time: BootInstant
    }

    /// Why there is no answer, in words.
    struct Unknown: Error, Equatable {
        let reason: String
    }

    /// Changes with each observation, and with what keeps it from coming, for those who wait for the next answer.
    nonisolated let news = Latest(())
    /// Who wants the machine to scan.
    nonisolated let demand = Latest(ScanDemand())
    private let store: NearbyStore
    private let clock: ServiceClock
    private let logger: Logger
    private var learner: AccessPointLearner
    private var pace = LearningPace()
    private var observation: AccessPointObservation?
    private var known: [HardwareAddress: KnownAccessPoint] = [:]
    /// Whether the observation has taught, which it does once.
    private var hasTaught = false
    /// The newest location that may teach.
    private var location: Location?
    /// What is not in the file yet.
    private var waiting: [HardwareAddress: KnownAccessPoint] = [:]
    private var isWriting = false
    private var failure: String?
    private var counted = NearbyFigures()
    /// Why nothing can be received; `nil` if that is not known.
    private(set) var obstacle: String?

    init(_ store: NearbyStore, clock: ServiceClock = .machine, logger: Logger) throws(NearbyStoreError) {
        (self.store, self.clock, self.logger) = (store, clock, logger)
        learner = AccessPointLearner(try store.calibration())
    }

    /// Takes what the machine receives now.
    func observe(_ observation: AccessPointObservation) async {
        self.observation = observation
        counted.observations += 1
        hasTaught = false
        known = find(observation)
        news.change { _ in }
        await learn()
    }

    /// When the newest observation was made; `nil` without one.
    var observed: BootInstant? { observation?.time }

    /// Takes why nothing can be received, or `nil`.
    func setObstacle(_ obstacle: String?) {
        guard obstacle != self.obstacle else { return }
        self.obstacle = obstacle
        if let obstacle { logger.warning("no access points are received", metadata: ["reason": "\(obstacle)"]) }
        news.change { _ in }
    }

    /// Takes a location of the daemon.
    func receive(_ location: Location) async {
        guard LearningPace.isGood(location) else { return }
        self.location = location
        await learn()
        if pace.wantsScan(at: location.coordinate, location.monotonicTime) {
            demand.change { $0.location = location.monotonicTime }
        }
    }

    /// Learns what is received now at a position that somebody states.
    ///
    /// - Returns: `nil` if nothing was received since `begin` that could be remembered.
    func learn(statedAt coordinate: Coordinate, accuracy: Double, receivedSince begin: BootInstant) async
        -> AccessPointLesson?
    {
        guard let observation, observation.time >= begin, !observation.usable.isEmpty else { return nil }
        let lesson = AccessPointLearner.lesson(
            observation, statedAt: coordinate, accuracy: accuracy, known, today: today)
        await remember(lesson)
        news.change { _ in }
        return lesson
    }

    /// What is received now, if it tells no position and two access points at least may be named to a service on the
    /// network.
    var unanswered: AccessPointObservation? {
        guard let observation, isFresh(observation), observation.usable.count >= 2, case .failure = answer() else {
            return nil
        }
        return observation
    }

    /// Learns where a service on the network states the machine to have been.
    func learn(_ observation: AccessPointObservation, statedByService coordinate: Coordinate, accuracy: Double) async {
        let known = find(observation)
        await remember(
            AccessPointLearner.lesson(
                observation, statedByService: coordinate, accuracy: accuracy, known, today: today))
        if let newest = self.observation { self.known = find(newest) }
        news.change { _ in }
    }

    /// Forgets what meets the conditions, in the file and here.
    ///
    /// - Returns: how many access points are forgotten.
    func forget(_ selection: PlaceSelection) async throws(NearbyStoreError) -> Int {
        // What is in no file yet is put there first: it is forgotten once, and counted so.
        await write()
        let count = try await store.forget(selection)
        waiting = waiting.compactMapValues(selection.remainder)
        known = observation.map(find) ?? [:]
        news.change { _ in }
        return count
    }

    /// What is received now, and how many of it are known.
    var reception: (received: Int, known: Int) {
        guard let observation, isFresh(observation) else { return (0, 0) }
        let usable = observation.usable
        return (usable.count, usable.count { known[$0.address] != nil })
    }

    /// What it has done, and what it receives.
    var figures: NearbyFigures {
        var figures = counted
        (figures.received, figures.known) = reception
        if case .success(let answer) = answer() { figures.accuracy = answer.estimate.accuracy }
        return figures
    }

    private func isFresh(_ observation: AccessPointObservation) -> Bool {
        clock.now().seconds(since: observation.time) <= Self.freshness
    }

    /// Where the machine is, by what it received last.
    func answer() -> Result<Answer, Unknown> {
        guard let observation, isFresh(observation) else {
            return .failure(
                Unknown(reason: obstacle ?? "no access points were received in the last \(Int(Self.freshness)) s"))
        }
        let estimator = PlaceEstimator(factor: learner.calibration.factor)
        switch estimator.estimate(observation, known, today: today) {
        case .success(let estimate): return .success(Answer(estimate: estimate, time: observation.time))
        case .failure(let unknown): return .failure(Unknown(reason: unknown.reason))
        }
    }

    /// Writes what is not in the file yet.
    func write() async {
        guard !waiting.isEmpty, !isWriting else { return }
        isWriting = true
        defer { isWriting = false }
        let changes = waiting
        do throws(NearbyStoreError) {
            try await store.write(changes, learner.calibration)
            // What was learned meanwhile stays.
            for (address, record) in changes where waiting[address] == record { waiting[address] = nil }
            if failure != nil { logger.notice("places are remembered again") }
            failure = nil
        } catch {
            if failure == nil { logger.error("places cannot be remembered now", metadata: ["reason": "\(error)"]) }
            failure = "\(error)"
        }
    }

    /// The state, in words.
    var state: (text: String, isDegraded: Bool) {
        if let failure { return (failure, true) }
        switch answer() {
        case .success(let answer):
            return (
                "\(answer.estimate.count) access points tell the place to \(Int(answer.estimate.accuracy)) m", false
            )
        case .failure(let unknown): return (unknown.reason, false)
        }
    }

    /// Days since 1970-01-01, UTC, by the machine's clock.
    private var today: Int { Days.number(of: clock.utc()) }

    private func find(_ observation: AccessPointObservation) -> [HardwareAddress: KnownAccessPoint] {
        let addresses = observation.usable.map(\.address)
        var found: [HardwareAddress: KnownAccessPoint] = [:]
        do throws(NearbyStoreError) {
            found = try store.known(of: addresses.filter { waiting[$0] == nil })
            if waiting.isEmpty { failure = nil }
        } catch {
            if failure == nil { logger.error("places cannot be read", metadata: ["reason": "\(error)"]) }
            failure = "\(error)"
        }
        for address in addresses { if let record = waiting[address] { found[address] = record } }
        return found
    }

    /// Learns from the observation and the location, if they belong together.
    private func learn() async {
        guard let observation, let location, !hasTaught, let accuracy = location.horizontalAccuracy,
            abs(observation.time.seconds(since: location.monotonicTime)) <= LearningPace.delay,
            pace.admit(location.coordinate, at: observation.time)
        else { return }
        hasTaught = true
        // The receiver's date, because the machine's clock may not have been set.
        let day = location.timestamp.map(Days.number) ?? today
        let lesson = learner.learn(observation, at: location.coordinate, accuracy: accuracy, known, today: day)
        await remember(lesson)
    }

    private func remember(_ lesson: AccessPointLesson) async {
        guard !lesson.changed.isEmpty else { return }
        counted.learned += 1
        counted.moved += lesson.moved
        known.merge(lesson.changed) { $1 }
        waiting.merge(lesson.changed) { $1 }
        logger.debug(
            "access points are learned",
            metadata: ["received": "\(lesson.changed.count)", "new": "\(lesson.added)", "moved": "\(lesson.moved)"])
        await write()
    }
}
