import LocationHub
@_spi(Programs) import LocationModel
@_spi(Programs) import RegionMonitoring
import Testing

extension ServerDouble {
    /// Opens a monitor; what an earlier watch at the same place was sent is forgotten.
    mutating func monitor(
        _ regions: [Region]? = [.home], name: String? = nil, owner: UInt32 = 1000, _ permission: Permission = .granted,
        isExempt: Bool = false, _ change: (inout MonitorRequest) -> Void = { _ in }
    ) throws -> WatchID {
        var request = MonitorRequest(name: name, subjects: regions.map { MonitorSubjects(regions: $0) })
        change(&request)
        let owner = MonitorOwner(uid: owner, isExempt: isExempt)
        var bound: WatchID?
        let actions = try hub.addMonitor(request, of: owner, permission: permission, at: now) { bound = $0 }
        guard let id = bound else { preconditionFailure("a watch that begins has a number") }
        forget(id)
        perform(actions)
        return id
    }

    mutating func changeRegions(
        _ name: String, add: [Region] = [], remove: [String] = [], _ permission: Permission = .granted
    ) throws {
        let key = MonitorKey(owner: 1000, name: name)
        perform(
            try hub.changeRegions(key, add: add, remove: remove, isExempt: false, permission: permission, at: now))
    }

    mutating func remove(_ name: String) throws {
        perform(try hub.removeMonitor(MonitorKey(owner: 1000, name: name), at: now))
    }

    /// The machine stays so many metres east of the start for some fixes, one a second.
    mutating func stay(metresEast: Double, fixes: Int = 3, _ change: (inout Location) -> Void = { _ in }) {
        for _ in 0..<fixes {
            fix(metresEast: metresEast, change)
            pass(1)
        }
    }

    /// What a monitor's client was told of regions, such as `home inside entered`.
    func reports(_ id: WatchID) -> [String] {
        updates(id).compactMap(\.region).map { report in
            (["\(report.identifier)", "\(report.state)"] + (report.event.map { ["\($0)"] } ?? [])).joined(
                separator: " ")
        }
    }

    /// The same of what the user's kept monitors are told to be.
    func listed(_ permission: Permission = .granted) -> [String] {
        hub.namedMonitors(of: 1000, for: permission).flatMap { summary in
            ["\(summary.name) \(summary.isActive ? "active" : "idle")"]
                + summary.reports.map { "\($0.identifier) \($0.state) \($0.location == nil ? "nowhere" : "somewhere")" }
        }
    }
}

extension Region {
    /// 100 metres around the start.
    static let home = circle("home", metresEast: 0)
    /// 100 metres around a place 10 km east of it.
    static let work = circle("work", metresEast: 10_000)

    static func circle(_ identifier: String, metresEast: Double, radius: Double = 100, dwell: Double? = nil) -> Region {
        do {
            let center = Coordinate.start.coordinate(atDistance: metresEast, bearing: 90)
            return try Region(
                identifier: identifier, shape: .circle(RegionCircle(center: center, radius: radius)), dwell: dwell)
        } catch {
            preconditionFailure("\(error)")
        }
    }
}
