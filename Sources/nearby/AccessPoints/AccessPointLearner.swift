package import LocationModel

/// What one observation at a measured position changes.
package struct AccessPointLesson: Sendable, Equatable {
    /// What is to be remembered from now on, of those that were received.
    package var changed: [HardwareAddress: KnownAccessPoint] = [:]
    /// How many were received for the first time.
    package var added = 0
    /// How many are somewhere else from now on, and are unlearned where they were.
    package var moved = 0

    /// Nothing changes.
    package init() {}
}

/// Learns where access points are, and unlearns it.
///
/// A position that most of the known access points contradict is more likely to be wrong than all of them to have
/// moved: nothing is learned from it, until that has been so at ten observations for ten minutes, as after a removal of
/// everything that is received.
package struct AccessPointLearner: Sendable {
    /// Known devices that have to contradict a position together for it to be doubted.
    static let doubters = 3
    /// Observations and seconds after which they are believed no more.
    static let (patience, duration) = (10, 600.0)

    package private(set) var calibration: AccuracyCalibration
    private var doubt: (since: BootInstant, count: Int)?

    package init(_ calibration: AccuracyCalibration) { self.calibration = calibration }

    /// - Parameters:
    ///   - coordinate: the measured position, of that accuracy in metres.
    ///   - known: what is remembered of those of the observation that are known.
    ///   - today: days since 1970-01-01, UTC.
    package mutating func learn(
        _ observation: AccessPointObservation, at coordinate: Coordinate, accuracy: Double,
        _ known: [HardwareAddress: KnownAccessPoint], today: Int
    ) -> AccessPointLesson {
        let passages = Self.passages(observation, at: coordinate, accuracy: accuracy, known, today: today)
        guard !isDoubtful(passages, at: observation.time) else { return AccessPointLesson() }
        calibrate(observation, at: coordinate, known, today)
        return Self.lesson(passages) { $0.learning($1) }
    }

    /// What a position teaches that somebody states, which is not doubted: what was elsewhere before was learned
    /// wrongly, or moved with all of its neighbours.
    package static func lesson(
        _ observation: AccessPointObservation, statedAt coordinate: Coordinate, accuracy: Double,
        _ known: [HardwareAddress: KnownAccessPoint], today: Int
    ) -> AccessPointLesson {
        lesson(passages(observation, at: coordinate, accuracy: accuracy, known, today: today)) { $0.stated($1) }
    }

    private static func lesson(
        _ passages: [Passage], _ learning: (KnownAccessPoint, AccessPointSighting) -> KnownAccessPoint
    ) -> AccessPointLesson {
        var lesson = AccessPointLesson()
        for passage in passages {
            guard let record = passage.record else {
                lesson.added += 1
                lesson.changed[passage.address] = KnownAccessPoint(passage.sighting)
                continue
            }
            let learned = learning(record, passage.sighting)
            if passage.isElsewhere, !learned.contradicts(passage.sighting) { lesson.moved += 1 }
            lesson.changed[passage.address] = learned
        }
        return lesson
    }

    /// What a service on the network teaches about those that are not learned.
    package static func lesson(
        _ observation: AccessPointObservation, statedByService coordinate: Coordinate, accuracy: Double,
        _ known: [HardwareAddress: KnownAccessPoint], today: Int
    ) -> AccessPointLesson {
        var lesson = AccessPointLesson()
        for received in observation.usable where known[received.address].map(\.isStated) ?? true {
            if known[received.address] == nil { lesson.added += 1 }
            lesson.changed[received.address] = KnownAccessPoint(
                statedAt: coordinate, accuracy: accuracy, day: today)
        }
        return lesson
    }

    private static func passages(
        _ observation: AccessPointObservation, at coordinate: Coordinate, accuracy: Double,
        _ known: [HardwareAddress: KnownAccessPoint], today: Int
    ) -> [Passage] {
        observation.usable.map { received in
            let sighting = AccessPointSighting(received, at: coordinate, accuracy: accuracy, day: today)
            // What is only stated says nothing against a position.
            let record = known[received.address].flatMap { $0.isStated ? nil : $0 }
            return Passage(
                address: received.address, sighting: sighting, record: record,
                isElsewhere: record?.contradicts(sighting) == true)
        }
    }

    /// One access point of an observation, and what is known of it.
    private struct Passage {
        let address: HardwareAddress
        let sighting: AccessPointSighting
        let record: KnownAccessPoint?
        /// Whether it was received too far from where it was.
        let isElsewhere: Bool
    }

    private mutating func isDoubtful(_ passages: [Passage], at time: BootInstant) -> Bool {
        let trusted = passages.filter { $0.record?.isTrusted == true }
        let contradicting = Set(trusted.filter(\.isElsewhere).map(\.address.device)).count
        let confirming = Set(trusted.filter { !$0.isElsewhere }.map(\.address.device)).count
        guard contradicting >= Self.doubters, contradicting > confirming else {
            if confirming > 0 { doubt = nil }
            return false
        }
        let current = doubt ?? (since: time, count: 0)
        doubt = (current.since, current.count + 1)
        return current.count + 1 < Self.patience || time.seconds(since: current.since) < Self.duration
    }

    /// Compares with what would be answered from what was known on another day.
    private mutating func calibrate(
        _ observation: AccessPointObservation, at coordinate: Coordinate, _ known: [HardwareAddress: KnownAccessPoint],
        _ today: Int
    ) {
        let latest = today - AccuracyCalibration.leastAge
        let older = known.filter { !$0.value.isStated && $0.value.lastReceptionDay <= latest }
        // As if what is known since today were not received: it is not unknown.
        var observation = observation
        observation.accessPoints.removeAll { known[$0.address] != nil && older[$0.address] == nil }
        let estimator = PlaceEstimator(factor: calibration.factor)
        guard case .success(let estimate) = estimator.estimate(observation, older, today: today) else { return }
        calibration.compare(error: estimate.coordinate.distance(to: coordinate), accuracy: estimate.accuracy)
    }
}
