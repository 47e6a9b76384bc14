import Geodesy
import LocationModel
import TestSupport
import Testing

@testable import RegionMonitoring

extension Coordinate {
    init(_ latitude: Double, _ longitude: Double) throws {
        self = try #require(Coordinate(latitude: latitude, longitude: longitude))
    }
}

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

extension RegionPolygon {
    /// Corners as latitude and longitude.
    init(_ corners: (Double, Double)...) throws {
        try self.init(corners: corners.map { try Coordinate($0.0, $0.1) })
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
