package import LocationModel
package import RegionMonitoring

/// Under which name whose monitor is kept.
package struct MonitorKey: Sendable, Hashable {
    /// The user who may take it up.
    package let owner: UInt32
    package let name: String

    package init(owner: UInt32, name: String) {
        self.owner = owner
        self.name = name
    }
}

/// What somebody wants monitored.
package struct MonitorOrder: Sendable {
    package var owner: UInt32
    /// True if the limits of one user do not hold for the owner.
    package var isSpared = false
    /// Kept under it; `nil` for one that ends with its connection.
    package var name: String?
    /// In place of what is kept; `nil` takes that up.
    package var request: MonitorRequest?
    /// Takes what others cause, and causes nothing.
    package var passive = false

    package init(owner: UInt32, name: String? = nil, request: MonitorRequest?) {
        self.owner = owner
        self.name = name
        self.request = request
    }

    var key: MonitorKey? { name.map { MonitorKey(owner: owner, name: $0) } }
}

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
