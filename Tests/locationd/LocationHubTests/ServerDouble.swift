import LocationHub
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

/// Plays the server: carries out what the hub decides and keeps what each client was sent.
///
/// A stalled client takes the reply on its way and no other, until it reads again.
struct ServerDouble {
    /// The hub cannot be copied: a copy of the double would share it.
    private final class Owner {
        var hub: Hub
        init(_ hub: consuming Hub) { self.hub = hub }
    }

    private let owner: Owner
    var hub: Hub {
        _read { yield owner.hub }
        nonmutating _modify { yield &owner.hub }
    }
    var isDemanded: Bool { hub.isDemanded }
    var nextDeadline: BootInstant? { hub.nextDeadline }
    var now: BootInstant
    private(set) var sent: [WatchID: [WatchUpdate]] = [:]
    /// The locations that were sent together, to whom and when.
    private(set) var batches: [(id: WatchID, time: BootInstant, sequences: [Int64])] = []
    private(set) var answers: [RequestID: LocationAnswer] = [:]
    /// How many sources were to run, each time that was told.
    private(set) var depths: [Int] = []
    /// The same with the times.
    private(set) var demandChanges: [(time: BootInstant, depth: Int)] = []
    /// Whether the compasses were to run, each time that changed.
    private(set) var compassDemands: [Bool] = []
    private(set) var reservations: [Int64] = []
    private(set) var disconnected: [WatchID] = []
    private(set) var keptReductions = 0
    /// What a restart would find, and whether the disk takes what is kept.
    private(set) var kept: [PersistedMonitor] = []
    var keepsMonitors = true
    private(set) var overdueKeepings = 0
    /// By what name each ended monitor went.
    private(set) var ended: [WatchID: String] = [:]
    /// The names that made room for others, in that order.
    private(set) var displaced: [String] = []
    /// The sources that are off, as told last, and how often the battery was to be read.
    private(set) var switchedOff: Set<String> = []
    private(set) var batteryRequests = 0
    /// Metres that sufficed, each time that was told.
    private(set) var desiredAccuracies: [Double?] = []
    var stalled: Set<WatchID> = []
    /// Clients that have not read all they were sent.
    private(set) var behind: Set<WatchID> = []

    init(
        sources: Int = 1, compasses: Int = 0, lowPower: Set<String> = [], isEnabled: Bool = true,
        sequenceStart: Int64 = 0,
        lastLocation: Location? = nil,
        reduction: ReducedAccuracy? = nil, monitors: [PersistedMonitor] = [],
        at now: BootInstant = BootInstant(seconds: 1000), blur seed: UInt64? = nil,
        settings change: (inout HubSettings) -> Void = { _ in }
    ) {
        var settings = HubSettings()
        // All sources run together, unless the test is about how many do.
        settings.failoverDelay = 0
        // Tests move the machine as they like, unless they are about what is plausible.
        settings.plausibility.maximumSpeed = nil
        change(&settings)
        self.now = now
        let hub = Hub(
            settings: settings, sources: Self.names(sources), compasses: (0..<compasses).map { "compass\($0)" },
            lowPower: lowPower, isEnabled: isEnabled, sequenceStart: sequenceStart, lastLocation: lastLocation,
            reduction: reduction,
            monitors: monitors, at: now, blursPauses: seed != nil,
            generator: SeededGenerator(seed: seed ?? 0))
        owner = Owner(hub)
    }

    /// What so many sources are called.
    static func names(_ count: Int) -> [String] { (0..<count).map { "source\($0)" } }

    mutating func perform(_ actions: [HubAction]) {
        for action in actions {
            switch action {
            case .sendLocation(let location, let ids): send(WatchUpdate(location: location), to: ids)
            case .sendBatch(let batch, let ids): send(batch, to: ids)
            case .sendStatus(let status, let ids): send(WatchUpdate(status: status), to: ids)
            case .sendHeading(let heading, let time, let ids):
                var update = WatchUpdate()
                update.heading = heading
                update.headingTime = time
                send(update, to: ids)
            case .sendSatellites(let satellites, let ids):
                var update = WatchUpdate()
                update.satellites = satellites
                send(update, to: ids)
            case .reply(let id, let update): send(update, to: [id])
            case .disconnect(let id, _):
                disconnected.append(id)
                perform(hub.endWatch(id, at: now))
            case .answer(let id, let answer):
                #expect(answers[id] == nil, "a request is answered once")
                answers[id] = answer
            case .demand(let count):
                #expect(count != depths.last ?? 0, "demand changes each time it is told")
                depths.append(count)
                demandChanges.append((now, count))
            case .switchSources(let off): switchedOff = off
            case .desireAccuracy(let accuracy): desiredAccuracies.append(accuracy)
            case .readBattery: batteryRequests += 1
            case .demandCompasses(let isWanted):
                #expect(isWanted != compassDemands.last ?? false, "demand changes each time it is told")
                compassDemands.append(isWanted)
            case .reserveSequences(let end): reservations.append(end)
            case .persistReduction: keptReductions += 1
            case .catchUp(let id): if !stalled.contains(id) { read(id) }
            case .endMonitor(let id, let name): ended[id] = name
            case .monitorDisplaced(let key): displaced.append(key.name)
            case .persistMonitors: if keepsMonitors { persistMonitors() }
            case .monitorPersistenceTimedOut: overdueKeepings += 1
            }
        }
    }

    /// The disk has taken all there is to keep.
    mutating func persistMonitors() {
        let (monitors, revision) = hub.monitorsToPersist()
        kept = monitors
        perform(hub.monitorsPersisted(revision))
    }

    private mutating func send(_ batch: LocationBatch, to ids: [WatchID]) {
        batches += ids.map { ($0, now, batch.locations.map(\.sequence)) }
        for (index, location) in batch.locations.enumerated() {
            var update = WatchUpdate(location: location)
            if index == 0 { update.dropped = batch.dropped }
            update.isFinal = batch.isFinal && index == batch.locations.count - 1
            send(update, to: ids)
        }
    }

    private mutating func send(_ update: WatchUpdate, to ids: [WatchID]) {
        for id in ids {
            sent[id, default: []].append(update)
            guard stalled.contains(id) else { continue }
            hub.fellBehind(id)
            behind.insert(id)
        }
    }

    /// A client takes what is on its way and then so many of the things held back for it; all of them unless told.
    mutating func read(_ id: WatchID, atMost limit: Int = .max) {
        stalled.remove(id)
        for _ in 0..<limit {
            guard let (update, actions) = hub.popHeld(id, at: now) else {
                behind.remove(id)
                perform(hub.releaseBatch(of: id, at: now))
                return
            }
            perform(actions)
            sent[id, default: []].append(update)
            if update.isFinal { return }
        }
        stalled.insert(id)
    }

    /// Forgets what was sent to one place.
    mutating func forget(_ id: WatchID) {
        sent[id] = nil
        stalled.remove(id)
        behind.remove(id)
    }

    /// Forgets what was sent so far.
    mutating func clear() {
        sent = [:]
    }

    mutating func forgetDisconnected() {
        disconnected = []
    }

    /// Whether any source was to run, each time that changed.
    var demands: [Bool] {
        depths.reduce(into: []) { demands, depth in
            if demands.last ?? false != (depth > 0) { demands.append(depth > 0) }
        }
    }

    // MARK: What clients saw

    func updates(_ id: WatchID) -> [WatchUpdate] { sent[id] ?? [] }

    func locations(_ id: WatchID) -> [Location] { updates(id).compactMap(\.location) }

    func sequences(_ id: WatchID) -> [Int64] { locations(id).map(\.sequence) }

    func statuses(_ id: WatchID) -> [ServiceStatus] { updates(id).compactMap(\.status) }

    func states(_ id: WatchID) -> [SourceState] { statuses(id).map(\.source) }

    func answer(_ number: Int) -> LocationAnswer? { answers[RequestID(number: number)] }
}
