package import LocationModel

/// How precisely may this program know where the machine is?
@nonexhaustive(warn)
public enum CLAccuracyAuthorization: Int, Sendable {
    /// As precisely as the receiver does.
    case fullAccuracy = 0
    /// To a coarse grid only.
    case reducedAccuracy = 1

    /// What is not full, or not known to be, is reduced.
    package init(_ accuracy: AccuracyAuthorization) {
        self = accuracy == .full ? .fullAccuracy : .reducedAccuracy
    }
}
