import LocationHub
import LocationModel
import RegionMonitoring

/// A hub with one monitor and a receiver that runs when the hub says, in virtual time, second by second.
struct ModelHub {
    /// The events that were delivered, and in which second.
    private(set) var events: [(second: Int, update: WatchUpdate)] = []
    /// Seconds the receiver ran.
    private(set) var onTime = 0

    /// Seconds from the receiver's start to its first fix, when it was off for a short while.
    static let start = 5
    /// Seconds it keeps running: the service's default.
    static let linger = HubSettings().linger

    private var hub: Hub
    /// True fixes that the plausibility filter held back.
    var implausible: Int { hub.counters.implausible.values.joined().reduce(0) { $0 + $1.value } }
    private var second = 0
    private var began: Int?

    private init() {
        hub = Hub(
            settings: HubSettings(), sources: ["model"], isEnabled: true, sequenceStart: 0, lastLocation: nil,
            at: .at(0))
    }

    /// - Parameter always: somebody watches besides, so that the receiver runs all the time.
    static func run(_ subjects: MonitorSubjects, over drive: Drive, always: Bool) -> ModelHub {
        var model = ModelHub()
        let permission = Permission(.authorizedAlways)
        if always { model.perform(model.hub.addWatch(WatchRequest(), permission: permission, at: .at(0)).1) }
        guard
            let (_, actions) = try? model.hub.addMonitor(
                MonitorRequest(subjects: subjects), of: MonitorOwner(uid: 0), permission: permission, at: .at(0))
        else { preconditionFailure("nothing limits this monitor") }
        model.perform(actions)
        for (second, fix) in drive.fixes.enumerated() { model.live(second, fix) }
        return model
    }

    private mutating func live(_ second: Int, _ fix: Location) {
        self.second = second
        perform(hub.advance(to: .at(second)))
        guard let began else { return }
        onTime += 1
        if second >= began + Self.start { perform(hub.applyEvent(.fix(fix), from: 0, at: .at(second))) }
    }

    private mutating func perform(_ actions: [HubAction]) {
        for action in actions {
            switch action {
            case .demand(let count): began = count > 0 ? began ?? second : nil
            case .catchUp(let id):
                while let (update, more) = hub.popHeld(id, at: .at(second)) {
                    if update.containsPosition { events.append((second, update)) }
                    perform(more)
                }
            default: break
            }
        }
    }
}
