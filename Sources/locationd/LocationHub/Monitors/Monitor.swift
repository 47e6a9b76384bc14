@_spi(Programs) import LocationModel
@_spi(Programs) import RegionMonitoring

/// One connection's monitor: its view of fixes, what they decide, and when it needs the next.
struct Monitor {
    let owner: UInt32
    /// The name it is persisted under; `nil` for one that ends with its connection.
    let name: String?
    let isPassive: Bool
    private(set) var subjects: MonitorSubjects
    /// What its regions count as against the limits.
    private(set) var weight: Int
    /// Whether its owner may know the position in principle, even if not now.
    private(set) var isAuthorized = false
    private(set) var view = View.nothing
    /// The accuracy of the fixes that decided the states.
    private(set) var accuracy: AccuracyAuthorization
    /// By when a fix is needed; `nil` if none is.
    private(set) var due: BootInstant?
    private var machine: MonitorEngine

    /// The accuracy, metres, that suffices for the next fix; `nil` for the best.
    var sufficientAccuracy: Double? { machine.sufficientAccuracy }

    init(
        _ request: MonitorRequest, subjects: MonitorSubjects, of owner: UInt32, memory: PersistedMonitor?,
        permission: Permission
    ) {
        self.owner = owner
        name = request.name
        isPassive = request.passive
        self.subjects = subjects
        weight = subjects.regions.weight
        machine = MonitorEngine(subjects, memory: memory?.memory ?? MonitorMemory())
        accuracy = memory?.accuracy ?? permission.accuracy
        permit(permission)
    }

    var key: MonitorKey? { name.map { MonitorKey(owner: owner, name: $0) } }

    /// The state to persist; `nil` for a monitor that ends with its connection.
    var persisted: PersistedMonitor? {
        name.map {
            PersistedMonitor(
                owner: owner, name: $0, accuracy: accuracy, memory: machine.memory, isAuthorized: isAuthorized)
        }
    }

    /// The states decided by the fixes it may see now.
    var reports: [RegionReport] { machine.reports }

    /// Applies a changed permission; states that fixes of another view decided are forgotten.
    mutating func permit(_ permission: Permission) {
        isAuthorized = permission.isAuthorized
        guard permission.view != view else { return }
        view = permission.view
        suspend()
        guard view != .nothing, permission.accuracy != accuracy else { return }
        accuracy = permission.accuracy
        machine = MonitorEngine(subjects)
    }

    /// No fix comes for a while: the next one confirms the known states or contradicts them.
    mutating func suspend() {
        machine.suspend()
    }

    mutating func setRegions(_ regions: [Region]) {
        subjects.regions = regions
        weight = regions.weight
        machine.setRegions(regions)
    }

    /// Applies a fix as its view shows it.
    /// - Returns: the updates for the client, in order.
    mutating func applyFix(_ shown: Location) -> [WatchUpdate] {
        machine.applyFix(shown).map { event in
            switch event {
            case .region(let report): WatchUpdate(region: report)
            case .significantChange(let location): WatchUpdate(location: location)
            case .visit(let visit): WatchUpdate(visit: visit)
            }
        }
    }

    /// Computes when the next fix is needed.
    /// - Parameters:
    ///   - nextChange: the earliest time at which its view shows another location; `nil` if each fix is shown.
    ///   - blur: hides from others how far the nearest border is.
    mutating func schedule(at now: BootInstant, nextChange: BootInstant?, blur: PauseBlur?) {
        due =
            isPassive || view == .nothing
            ? nil : machine.decideNextFix(at: now, blur: blur).map { max($0, nextChange ?? $0) }
    }

    /// The most updates held for a client that does not read: two reports of each region, and some other events.
    var heldLimit: Int { 256 + 2 * subjects.regions.count }
}

extension RegionReport {
    init(undecided identifier: String) {
        self.init(identifier: identifier, state: .unknown)
    }

    var isDecided: Bool { state != .unknown }
}
