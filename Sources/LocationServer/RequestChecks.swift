import LocationHub
import LocationInterface
import LocationModel
import RegionMonitoring
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

extension MonitorOrder {
    init(_ parameters: MonitorParameters, owner: UInt32, isSpared: Bool) throws(ErrorReply) {
        if let name = parameters.name { try MonitorName.check(name) }
        try Purpose.check(parameters.purpose)
        try checkIdentifiers(of: parameters.regions ?? [], in: "regions")
        let isAsked = parameters.regions != nil || parameters.significantChange != nil || parameters.visits != nil
        let request = MonitorRequest(
            regions: parameters.regions ?? [], significantChange: parameters.significantChange,
            visits: parameters.visits ?? false)
        guard parameters.name != nil || request != MonitorRequest() else {
            throw .invalidParameter(
                "regions",
                reason: "without a name there is nothing to monitor; ask for regions, significantChange or visits")
        }
        // What was kept before this was asked of names can be taken up, and removed.
        guard !isAsked || parameters.name?.isPrintable != false else {
            throw .invalidParameter("name", reason: unprintable)
        }
        self.init(owner: owner, name: parameters.name, request: isAsked ? request : nil)
        self.isSpared = isSpared
        passive = parameters.passive ?? false
    }
}

extension MonitorName {
    static func check(_ name: String) throws(ErrorReply) {
        guard (1...128).contains(name.utf8.count) else {
            throw .invalidParameter("name", reason: "1 to 128 bytes")
        }
    }
}

/// What people see in lists and at the Tab key must not be obeyed by their terminals.
private let unprintable = "control characters and marks of direction are not allowed; leave them out"

/// Each region is known by its identifier.
func checkIdentifiers(of regions: [Region], in field: String) throws(ErrorReply) {
    var seen: Set<String> = []
    for (index, region) in regions.enumerated() where !seen.insert(region.identifier).inserted {
        throw .invalidParameter("\(field)[\(index)].identifier", reason: "another region of the call has it")
    }
    if let index = regions.firstIndex(where: { !$0.identifier.isPrintable }) {
        throw .invalidParameter("\(field)[\(index)].identifier", reason: unprintable)
    }
}

/// A filter of zero filters nothing and is as good as none.
private func notNegative(_ value: Double?, _ name: String, _ unit: String) throws(ErrorReply) -> Double? {
    guard let value else { return nil }
    guard value.isFinite, value >= 0 else { throw .invalidParameter(name, reason: "\(unit), 0 or more") }
    return value
}
