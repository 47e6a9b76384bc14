import LocationHub
@_spi(Programs) import LocationModel
import ProgramTestSupport
import ReferenceModel
import Testing

/// Drives a hub by random events, and reports what goes in and comes out to the reference model.
struct Interleaving {
    var server: ServerDouble
    var random: SeededGenerator
    let model: ExpectedService
    var clients: [WatchID: ExpectedClient] = [:]
    var permissions: [WatchID: Permission] = [:]
    var pending: [RequestID: (deadline: BootInstant, request: ExpectedRequest)] = [:]
    var nextRequest = 0
    var mostWatches = 0
    /// What came out of all so far.
    private(set) var mostDelivered = 0
    private var reportedDemands = 0
    /// The state every watch had been told of when last looked at.
    private var announced = SourceState.stopped

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        let memory = ReducedMemory(size: 2000, using: &random)
        server = ServerDouble(sources: 2, reduction: ReducedAccuracy(memory)) {
            $0.plausibility = PlausibilitySettings()
            $0.linger = 5
            $0.reducedInterval = 20
        }
        let settings = server.hub.settings
        model = ExpectedService(
            receivers: ExpectedReceivers(
                staleAfter: settings.staleAfter, hysteresis: settings.failoverHysteresis))
        model.begin(last: nil, isEnabled: true)
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    mutating func anyWatch() -> WatchID? { ids.randomElement(using: &random) }

    var ids: [WatchID] { clients.keys.sorted { $0.slot < $1.slot } }

    mutating func add(_ id: WatchID, _ permission: Permission) {
        let client = ExpectedClient(number: id.slot, view: ExpectedView(permission))
        client.authorization = permission.authorization.rawValue
        clients[id] = client
        permissions[id] = permission
        model.clients.append(client)
        mostWatches = max(mostWatches, clients.count)
    }

    mutating func remove(_ id: WatchID) {
        if clients[id]?.watch?.makesDemand == true { model.demand.extendNeed(to: server.now.seconds) }
        model.clients.removeAll { $0 === clients[id] }
        clients[id] = nil
        permissions[id] = nil
        server.forget(id)
    }

    /// Reports a change of the demand, at its time, and the time that has passed since the last event.
    mutating func reportTime() {
        for change in server.demandChanges.dropFirst(reportedDemands) {
            model.receivers.passTime(to: change.time)
            model.changeDemand(to: change.depth, at: change.time.seconds)
        }
        reportedDemands = server.demandChanges.count
        model.receivers.passTime(to: server.now)
    }

    /// Reports what every watch was sent since the last time, and forgets those that ended.
    /// - Parameters:
    ///   - request: of the watch that was opened.
    ///   - reading: the watch that took what was held back for it.
    mutating func settle(opening: (id: WatchID, request: WatchRequest)? = nil, reading: WatchID? = nil) {
        reportTime()
        for id in ids {
            guard let client = clients[id] else { continue }
            var isFinished = false
            for (index, update) in server.updates(id).enumerated() {
                if isFinished { model.report("client \(id.slot) gets more after its last reply") }
                let reply = ExpectedReply(update)
                if update.isFinal, update.location == nil {
                    model.report("client \(id.slot) gets a last reply without a location")
                }
                model.receive(reply, by: client, isHeld: id == reading, at: server.now)
                if id == opening?.id, index == 0, let request = opening?.request {
                    model.beginWatch(request, of: client, with: reply, at: server.now)
                } else if client.watch == nil {
                    model.report("client \(id.slot) is sent something before its opening reply")
                }
                isFinished = isFinished || update.isFinal
                mostDelivered = max(mostDelivered, client.watch?.delivered ?? 0)
            }
            client.isBehind = server.behind.contains(id)
            if isFinished || server.disconnected.contains(id) {
                #expect(server.hub.progress(of: id) == nil, "an ended watch leaves its place")
                remove(id)
            } else if let progress = server.hub.progress(of: id) {
                #expect(progress.isBehind == client.isBehind)
                if let total = client.watch?.totalLost { #expect(progress.dropped == total) }
            } else {
                Issue.record("the watch is gone")
            }
        }
        model.checkDebts(ofReaders: true, at: server.now)
        if announced == .tracking, server.hub.announced.state != .tracking { model.forgetAnchors() }
        announced = server.hub.announced.state
        server.clear()
        server.forgetDisconnected()
        checkRequests()
    }

    private mutating func checkRequests() {
        for (id, entry) in pending {
            guard let answer = server.answers[id] else {
                #expect(entry.deadline > server.now, "every request is answered in time")
                continue
            }
            pending[id] = nil
            if !entry.request.isPassive {
                model.demand.extendNeed(to: min(entry.deadline, server.now).seconds)
            }
            guard case .location(let location) = answer else { continue }
            // It asks for itself, with full accuracy.
            let client = ExpectedClient(number: -id.number, view: .full)
            model.receive(ExpectedReply(location), by: client, at: server.now)
            model.answer(
                entry.request, of: client, with: ExpectedReply(location), age: location.age(at: server.now))
        }
        #expect(server.hub.requestCount == pending.count)
        #expect(server.hub.isEnabled || pending.isEmpty)
    }

    /// What holds whatever happened.
    mutating func checkWhole() {
        #expect(server.hub.watchCount == clients.count)
        #expect(server.hub.receiverReports.count <= 64)
        #expect(ids.allSatisfy { $0.slot < mostWatches })
        if let deadline = server.nextDeadline { #expect(deadline > server.now) }
        checkDemand()
        let present = server.hub.status(for: .granted, at: server.now)
        model.checkStates(present: ExpectedStatus(present), explainsRefusals: false, at: server.now)
        // Every watch that is not behind knows what the hub would say now.
        for (id, client) in clients where !client.isBehind {
            guard let permission = permissions[id], let watch = client.watch else { continue }
            var status = server.hub.status(for: permission, hasDemand: watch.makesDemand, at: server.now)
            let hasOwnReason = watch.request.requiredAccuracy != nil || watch.request.interval != nil
            if status.source == .tracking, status.reason == nil, hasOwnReason {
                // That its accuracy holds back everything, or its interval leaves no rest, the model judges.
                status.reason = client.lastStatus?.reason
            }
            #expect(client.lastStatus == ExpectedStatus(status), "client \(id.slot)")
        }
        if model.receivers.isExact {
            #expect((present.source == .tracking) == (model.isEnabled && model.receivers.isTracking(at: server.now)))
            let followed = server.hub.receiverReports.first { $0.isFollowed }?.key
            #expect(followed.map { .init(rank: $0.rank, device: $0.device) } == model.receivers.followed)
        }
        #expect(model.faults == [])
    }

    private mutating func checkDemand() {
        let watches = clients.values.compactMap(\.watch)
        let isRequested = pending.values.contains { !$0.request.isPassive }
        let isNeeded = isRequested || watches.contains { $0.needsReceiversAlways }
        let need = ExpectedDemand.Need(
            isCertain: isNeeded, isPossible: isRequested || watches.contains { $0.makesDemand },
            everySource: isNeeded && watches.contains { $0.needsEverySource } ? 2 : nil)
        let complaint = model.demand.complaint(
            about: need, isEnabled: model.isEnabled, linger: server.hub.settings.linger, at: server.now.seconds)
        if let complaint { model.report(complaint) }
        #expect(server.demands.last ?? false == server.isDemanded)
        #expect((model.demand.count > 0) == server.isDemanded)
    }
}
