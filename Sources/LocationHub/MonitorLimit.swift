package import LocationModel

/// Why something is not monitored.
package enum MonitorRefusal: Error, Sendable, Hashable {
    /// Nothing is kept under the name.
    case noSuchMonitor
    /// Another connection has the name.
    case inUse
    /// So many there may be of what is counted.
    case tooMany(MonitorLimit, limit: Int)
}

/// A limit of what may be monitored, by its key in the configuration.
package enum MonitorLimit: String, Sendable {
    case regions
    case regionsPerUser = "regions-per-user"
    case monitorsPerUser = "monitors-per-user"
}

extension Region {
    /// So many regions it counts as among those its owner may have: one, or one for each 32 corners begun.
    package var weight: Int {
        switch shape {
        case .circle: 1
        case .polygon(let polygon): (polygon.corners.count + 31) / 32
        }
    }
}

extension [Region] {
    package var weight: Int { reduce(0) { $0 + $1.weight } }
}
