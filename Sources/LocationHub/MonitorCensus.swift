import LocationModel
import RegionMonitoring

/// How much there is of what is limited: regions by their weight, and names.
struct MonitorCensus {
    let owner: UInt32
    private(set) var regions = 0, names = 0
    private(set) var ownRegions = 0, ownNames = 0
    /// Regions and names of all who may not know the position.
    private(set) var unauthorized = 0

    init(owner: UInt32) { self.owner = owner }

    fileprivate mutating func count(_ weight: Int, of owner: UInt32, isNamed: Bool, isAuthorized: Bool) {
        let name = isNamed ? 1 : 0
        (regions, names) = (regions + weight, names + name)
        if owner == self.owner { (ownRegions, ownNames) = (ownRegions + weight, ownNames + name) }
        if !isAuthorized { unauthorized += weight + name }
    }
}

extension MonitorTable {
    /// What others have of the limits, and the same user under other names.
    func census(of owner: UInt32, except key: MonitorKey?) -> MonitorCensus {
        var census = MonitorCensus(owner: owner)
        for (other, monitor) in kept where other != key && holders[other] == nil {
            census.count(weights[other] ?? 0, of: other.owner, isNamed: true, isAuthorized: monitor.isAuthorized)
        }
        for case let monitor? in running where key == nil || monitor.key != key {
            census.count(
                monitor.weight, of: monitor.owner, isNamed: monitor.name != nil, isAuthorized: monitor.isAuthorized)
        }
        return census
    }
}
