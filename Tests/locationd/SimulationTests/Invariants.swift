@_spi(Programs) import LocationModel
import NIOCore
import NIOEmbedded
import ReferenceModel
import ServiceServer

@testable import LocationHub
@testable import LocationServer

/// What must hold whenever nothing is under way.
extension SimulatedMachine {
    func checkInvariants() {
        checkDemand()
        checkPower()
        checkStates()
        checkRequests()
        checkBounds()
        for client in clients where client.socket.hasTornMessage {
            fault("client \(client.number) got a part of a message")
        }
        for source in sources
        where source.isRunning && (source.rank >= model.demand.count || spared.contains(source.name))
            && model.demand.isOlder(than: 0.02, at: time.awake) && time.awake - sparedSince > 0.02
        {
            fault("\(source.name) runs, and nobody wants it to")
        }
    }

    // MARK: Demand

    /// A client that is authorized has asked and is served.
    private var isNeeded: Bool {
        clients.contains { client in
            if client.isGone || client.isExempt || client.isServed && !client.isLookedUp { return false }
            if client.watch?.needsReceiversAlways == true { return true }
            guard case .location(let request) = client.asked.first, !request.isPassive, request.timeout > 0 else {
                return false
            }
            return client.unsent.isEmpty && client.socket.isReadingInput && !client.socket.isBehind
                && permissions.view(of: client.uid) != .nothing
        }
    }

    /// A client might need a source in a way that is not foreseen here.
    var mayBeNeeded: Bool {
        clients.contains { client in
            guard !client.isGone else { return false }
            if client.isExempt || client.watch?.makesDemand == true { return true }
            if let monitor = client.monitor { return !monitor.passive }
            if case .location(let request) = client.asked.first { return !request.isPassive }
            return false
        }
    }

    private func checkDemand() {
        let wantsAll = clients.contains { $0.watch?.needsEverySource == true && !$0.isGone && !$0.isExempt }
        let need = ExpectedDemand.Need(
            isCertain: isNeeded, isPossible: mayBeNeeded, everySource: wantsAll && isNeeded ? sources.count : nil)
        let complaint = model.demand.complaint(
            about: need, isEnabled: isEnabled, linger: settings.hub.linger + 0.01,
            refresh: settings.hub.refreshInterval.map { _ in settings.hub.refreshTimeout + 0.01 }, at: time.awake)
        if let complaint { fault(complaint) }
    }

    /// No receiver is spared while somebody wants the best. No watch here says what suffices.
    private func checkPower() {
        guard !spared.isEmpty else { return }
        if lowPower.isEmpty || !spared.isDisjoint(with: lowPower) { fault("\(spared) are spared for \(lowPower)") }
        for client in clients where !client.isGone && !client.isExempt && client.watch?.needsReceiversAlways == true {
            switch client.expected.view {
            case .full, .paced: fault("client \(client.number) wants the best, and \(spared) are spared")
            case .nothing, .reduced: break
            }
        }
    }

    // MARK: What is told

    private func checkStates() {
        guard let present = observer?.expected.lastStatus else { return }
        model.checkStates(
            present: present, explainsRefusals: true, isTimely: time.awake > uncertainUntil, at: time.now)
    }

    private func checkRequests() {
        for client in clients where !client.isGone && !client.isExempt {
            guard case .location(let request) = client.asked.first else { continue }
            if client.isServed && !client.isLookedUp || !client.socket.isReadingInput || client.socket.isBehind
                || !client.unsent.isEmpty
            {
                client.headSince = time.awake
            }
            if time.awake - client.headSince > request.timeout + 1.1 {
                fault("client \(client.number) waits longer than the \(request.timeout) s it wanted to")
            }
        }
    }

    // MARK: Memory

    private func checkBounds() {
        guard let service else { return }
        let locations = service.locations
        let bounds: [(String, Int, Int)] = [
            ("clients", service.connections.clients.count, settings.limits.clients + 200),
            ("places of watches", locations.hub.watches.slots.count, settings.limits.clients + 200),
            ("watchers", locations.delivery.watchers.count, settings.limits.clients + 200),
            ("watches", locations.hub.watches.count, service.connections.clients.count),
            ("requests", locations.hub.requests.count, service.connections.clients.count),
            ("requesters", locations.requesters.count, locations.hub.requests.count),
            ("receivers", locations.hub.sources.receivers.all.count, Receivers.limit),
            ("monitors", locations.hub.monitors.count, locations.hub.watches.count),
            ("holds", locations.hub.monitors.holds.count, locations.hub.monitors.count),
            ("rates", service.connections.limits.rate.count, 300),
            ("things to do", locations.agenda.actions.count, 0),
            ("events in the mailbox but a view of the sky", expectedMailbox.entries.count { !$0.event.isSky }, 0),
            ("events in the mailbox", expectedMailbox.entries.count, 1),
        ]
        for (name, count, limit) in bounds where count > limit { fault("\(count) \(name), more than \(limit)") }
        for watch in locations.hub.watches.slots.compactMap({ $0 }) where watch.backlog.items.count > 300 {
            fault("\(watch.backlog.items.count) things wait for a watch")
        }
        for case let watch? in locations.hub.watches.slots where watch.request.location || watch.request.heading {
            if watch.backlog.items.count > Backlog.statusLimit + 3 {
                fault("\(watch.backlog.items.count) things wait for a watch")
            }
        }
        for client in clients where client.socket.waiting > 65_536 + 1_000_000 { fault("the channel grows") }
    }

    /// Everybody leaves: nothing remains of them.
    func checkEnd() {
        for client in clients where !isObserver(client) { client.socket.hangUp() }
        disk.isStuck = false
        for _ in 0..<20 {
            disk.work()
            time.loop.advanceTime(by: .seconds(10))
            settle()
        }
        for client in clients { client.socket.hangUp() }
        settle()
        // A full disk is tried again now and then, and just now perhaps.
        disk.work()
        settle()
        guard let service else { return }
        let locations = service.locations
        let rests: [(String, Int)] = [
            ("clients", service.connections.clients.count), ("connections", service.connections.registry.count),
            ("watchers", locations.delivery.watchers.count { $0 != nil }),
            ("requesters", locations.requesters.count),
            ("watches", locations.hub.watchCount), ("monitors", locations.hub.monitorCount),
            ("requests", locations.hub.requestCount),
            ("needs", locations.hub.needs.watches), ("needs of every source", locations.hub.needs.everySource),
            ("admitted", service.connections.limits.admission.total),
            ("refused", service.connections.limits.admission.refused),
            ("answers that wait for the disk", locations.monitorPersistence.waitingCount),
            ("tasks", service.context.tasks.count),
            ("holds", locations.hub.monitors.holds.count),
        ]
        let held = formerServices.count { $0.service != nil }
        if held > 0 { fault("\(held) daemons that have ended are still in memory") }
        for (name, count) in rests where count != 0 { fault("\(count) \(name) remain after everybody left") }
    }
}
