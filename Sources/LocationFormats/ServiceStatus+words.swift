package import LocationModel

extension ServiceStatus {
    /// The state as a person would say it.
    package var words: String {
        switch source {
        case .stopped: enabled ? "idle" : "switched off"
        case .starting: "connecting to the receivers"
        case .searching: "searching for a fix"
        case .tracking: "tracking"
        case .lost: "the fix is lost"
        case .unavailable: "no receiver can be reached"
        case .unknown: "in a state this version does not know"
        }
    }
}
