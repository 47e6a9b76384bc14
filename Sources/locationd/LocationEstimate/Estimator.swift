@_spi(Programs) package import LocationModel

/// Where the machine most likely is, from the fixes so far: position, speed and course combined by their stated
/// accuracies, held at a standstill, and continued for some seconds without a fix.
///
/// No clock and no I/O: fixes come in, estimates go out.
package struct Estimator: Sendable {
    /// Seconds for which a position is predicted after a fix.
    package static let predictionLimit = 10.0
    /// Metres per second from which the machine moves so that a prediction says more than the last fix.
    private static let predictedSpeed = 1.0

    private let agility: Agility
    private var state: MotionState?

    package init(_ agility: Agility) { self.agility = agility }

    /// Takes a fix that is believed.
    ///
    /// - Returns: the estimate at the fix's time.
    package mutating func apply(_ fix: Location) -> Location {
        let measured = MeasuredMotion(fix)
        // In place: a copy of all that would cost as much as the rest.
        if state?.advance(with: fix, measured, agility) != true || state?.filter.isFinite != true {
            state = MotionState(fix, measured)
        }
        return state?.estimate ?? fix
    }

    /// The estimate without a newer fix; `nil` if there is none: the machine stands, or the last fix is too old.
    package func predicted(at now: BootInstant) -> Location? {
        guard isMoving, let state else { return nil }
        let T = now.seconds(since: state.moment)
        guard T > 0, T <= Self.predictionLimit else { return nil }
        return state.predicted(after: T, at: now, agility)
    }

    /// Whether there are predictions after the last fix.
    package var isMoving: Bool {
        guard let state else { return false }
        return !state.standstill.isStanding && state.filter.v.length >= Self.predictedSpeed
    }
}
