import Foundation
@_spi(Programs) public import LocationKit
@_spi(Programs) import LocationModel

/// The regions of this program, which all its managers share and which are persisted under the program's name.
@_spi(Programs) public final class ProgramRegions: Sendable {
    let monitor: any MonitorProviding

    /// - Parameter monitor: the monitor with the program's name, for these regions alone.
    @_spi(Programs) public init(_ monitor: any MonitorProviding) {
        self.monitor = monitor
    }

    /// The monitored regions.
    var all: [ProgramRegion] { monitor.regions.map { ProgramRegion($0) } }

    /// The region that the service knows by this identifier.
    func region(monitoredAs identifier: String) -> ProgramRegion? {
        monitor.regions.first { $0.identifier == identifier }.map { ProgramRegion($0) }
    }

    /// The region that the program knows by this identifier.
    func region(named identifier: String) -> ProgramRegion? {
        monitor.regions.lazy.filter { $0.identifier.hasPrefix(identifier) }.map { ProgramRegion($0) }
            .first { $0.identifier == identifier }
    }

    /// Monitors the region, in place of the one with its identifier.
    func add(_ region: ProgramRegion) {
        if let former = self.region(named: region.identifier), former.region.identifier != region.region.identifier {
            monitor.remove(identifier: former.region.identifier)
        }
        monitor.add(region.region)
        monitor.start()
    }

    func remove(_ identifier: String) {
        if let region = region(named: identifier) { monitor.remove(identifier: region.region.identifier) }
    }
}

/// A circle that a program monitors, with the identifier that the service persists.
///
/// The service does not store which events a program wants, so they are part of the identifier if they differ from the
/// default: `home [entry]`, `home [exit]`, `home [neither]`. An identifier that ends so by itself gets `[both]`.
struct ProgramRegion: Sendable, Hashable {
    /// The program's identifier.
    let identifier: String
    let notifyOnEntry, notifyOnExit: Bool
    /// The region that the service monitors.
    let region: Region

    private static let marks = [" [both]", " [entry]", " [exit]", " [neither]"]

    /// - Returns: `nil` if the region is not a circle on the Earth, or has an invalid radius or identifier.
    init?(_ region: CLRegion) {
        guard let circle = region as? CLCircularRegion else { return nil }
        let mark =
            switch (region.notifyOnEntry, region.notifyOnExit) {
            case (true, true): Self.marks.contains(where: region.identifier.hasSuffix) ? Self.marks[0] : ""
            case (true, false): Self.marks[1]
            case (false, true): Self.marks[2]
            case (false, false): Self.marks[3]
            }
        guard
            let shape = RegionShape(center: circle.center, radius: circle.radius),
            let monitored = try? Region(identifier: region.identifier + mark, shape: shape)
        else { return nil }
        self.init(region.identifier, region.notifyOnEntry, region.notifyOnExit, monitored)
    }

    /// A region that the service has persisted.
    init(_ region: Region) {
        let name = region.identifier
        let mark = Self.marks.first(where: name.hasSuffix)
        self.init(
            String(name.dropLast(mark?.count ?? 0)), mark != Self.marks[2] && mark != Self.marks[3],
            mark != Self.marks[1] && mark != Self.marks[3], region)
    }

    private init(_ identifier: String, _ notifyOnEntry: Bool, _ notifyOnExit: Bool, _ region: Region) {
        self.identifier = identifier
        self.notifyOnEntry = notifyOnEntry
        self.notifyOnExit = notifyOnExit
        self.region = region
    }

    /// The region as programs know it; `nil` for a polygon, which another program may have persisted.
    var content: CLCircularRegion? {
        guard case .circle(let circle) = region.shape else { return nil }
        let content = CLCircularRegion(
            center: CLLocationCoordinate2D(circle.center), radius: circle.radius, identifier: identifier)
        content.notifyOnEntry = notifyOnEntry
        content.notifyOnExit = notifyOnExit
        return content
    }
}

extension RegionShape {
    /// A circle; a radius of less than a metre becomes one metre.
    ///
    /// - Returns: `nil` if the coordinates or the radius are invalid.
    init?(center: CLLocationCoordinate2D, radius: CLLocationDistance) {
        guard radius > 0, let center = Coordinate(latitude: center.latitude, longitude: center.longitude),
            let circle = try? RegionCircle(center: center, radius: max(RegionCircle.radiusRange.lowerBound, radius))
        else { return nil }
        self = .circle(circle)
    }
}

/// The names under which this program's monitors are persisted.
enum ProgramName {
    /// The program's name, of at most 60 bytes.
    static var current: String { shortened(ProcessInfo.processInfo.processName, to: 60) }

    /// The name of one of the program's monitors, `PROGRAM/NAME`.
    static func with(_ name: String) -> String { shortened("\(current)/\(name)", to: 128) }

    private static func shortened(_ name: String, to limit: Int) -> String {
        var bytes = 0
        let short = name.prefix { character in
            bytes += character.utf8.count
            return bytes <= limit
        }
        return short.isEmpty ? "program" : String(short)
    }
}
