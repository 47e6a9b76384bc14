import LocationHub
import LocationInterface
import LocationModel
import Varlink

extension LocationRequest {
    init(_ parameters: GetLocationParameters) throws(ErrorReply) {
        self.init()
        try maximumAge = notNegative(parameters.maximumAge, "maximumAge", "seconds") ?? maximumAge
        try timeout = notNegative(parameters.timeout, "timeout", "seconds") ?? timeout
        guard timeout <= 86_400 else { throw .invalidParameter("timeout", reason: "at most 86400 seconds") }
        try requiredAccuracy = notNegative(parameters.requiredAccuracy, "requiredAccuracy", "metres")
        passive = parameters.passive ?? false
    }
}

extension WatchRequest {
    init(_ parameters: WatchParameters) throws(ErrorReply) {
        self.init()
        filter = LocationFilter(
            distance: try notNegative(parameters.distanceFilter, "distanceFilter", "metres"),
            interval: try notNegative(parameters.minimumInterval, "minimumInterval", "seconds"),
            requiredAccuracy: try notNegative(parameters.requiredAccuracy, "requiredAccuracy", "metres"))
        if let maximum = parameters.maximumUpdates {
            guard maximum > 0 else { throw .invalidParameter("maximumUpdates", reason: "it is 1 or more") }
            maximumUpdates = maximum
        }
        try Purpose.check(parameters.purpose)
        location = parameters.location ?? true
        heading = parameters.heading ?? false
        satellites = parameters.satellites ?? false
        passive = parameters.passive ?? false
        everySource = parameters.everySource ?? false
    }
}

/// A filter of zero filters nothing and is as good as none.
private func notNegative(_ value: Double?, _ name: String, _ unit: String) throws(ErrorReply) -> Double? {
    guard let value else { return nil }
    guard value.isFinite, value >= 0 else { throw .invalidParameter(name, reason: "\(unit), 0 or more") }
    return value
}
