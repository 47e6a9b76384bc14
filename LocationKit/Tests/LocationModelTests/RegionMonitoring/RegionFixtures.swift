@_spi(Programs) import LocationModel
import TestSupport
import Testing

@_spi(Programs) @testable import RegionMonitoring

extension Location {
    /// A fix of which the place, its accuracy in metres and the moment in seconds are known.
    static func fix(_ coordinate: Coordinate, accuracy: Double? = 10, at seconds: Double) -> Location {
        var location = Location(
            coordinate: coordinate, monotonicTime: BootInstant(seconds: seconds),
            source: SourceInformation(name: "test"))
        location.horizontalAccuracy = accuracy
        return location
    }
}

extension Region {
    static func circle(_ center: Coordinate, radius: Double, dwell: Double? = nil) throws -> Region {
        try Region(identifier: "here", shape: .circle(RegionCircle(center: center, radius: radius)), dwell: dwell)
    }
}

extension RegionTracker {
    mutating func applyFix(_ fix: Location) -> [RegionReport] { applyFix(fix, at: SurfacePoint(fix.coordinate)) }
}

extension MonitorEngine {
    /// What it would decide.
    func nextFix(at now: BootInstant) -> BootInstant? {
        var twin = self
        return twin.decideNextFix(at: now)
    }
}
