package import LocationKit
import LocationModel

/// The regions of this program, which all its managers share and which are kept over restarts under its name.
package final class ProgramRegions: Sendable {
    let monitor: any MonitorProviding

    /// - Parameter monitor: has the program's name, and monitors these regions alone.
    package init(_ monitor: any MonitorProviding) {
        self.monitor = monitor
    }

    /// Those that are monitored.
    var all: [ProgramRegion] { monitor.regions.map { ProgramRegion($0) } }

    /// The one that the service tells of by this identifier.
    func region(monitoredAs identifier: String) -> ProgramRegion? {
        monitor.regions.first { $0.identifier == identifier }.map { ProgramRegion($0) }
    }

    /// The one that the program knows by this identifier.
    func region(named identifier: String) -> ProgramRegion? {
        monitor.regions.lazy.filter { $0.identifier.hasPrefix(identifier) }.map { ProgramRegion($0) }
            .first { $0.identifier == identifier }
    }

    /// Monitors the region, in place of the one that has its identifier.
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
