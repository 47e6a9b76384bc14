import LocationModel
import NIOCore
import NIOEmbedded
import VarlinkServer

@testable import LocationHub
@testable import LocationServer

/// What must hold whenever nothing is under way.
extension World {
    func checkInvariants() {
        checkDemand()
        checkStates()
        checkRequests()
        checkBounds()
        for guest in guests where guest.socket.hasTornMessage {
            fault("client \(guest.number) got a part of a message")
        }
        for source in sources where source.isRunning && source.rank >= books.demand && books.demandIsOld(time.awake) {
            fault("\(source.name) runs, and nobody wants it to")
        }
    }

    // MARK: Demand

    /// Somebody who may know has asked and is served.
    private var isNeeded: Bool {
        guests.contains { guest in
            if guest.isGone || guest.isLawless { return false }
            if guest.watch?.makesDemand == true { return true }
            guard case .location(_, _, let timeout, false, _) = guest.asked.first, timeout > 0 else { return false }
            return guest.unsent.isEmpty && guest.socket.isReadingInput && !guest.socket.isBehind
                && permissions.view(of: guest.uid) != .nothing
        }
    }

    /// Somebody might have need in a way that is not foreseen here.
    private var mayBeNeeded: Bool {
        guests.contains { guest in
            guard !guest.isGone else { return false }
            if guest.isLawless || guest.watch?.makesDemand == true { return true }
            if let monitor = guest.monitor { return !monitor.passive }
            if case .location(_, _, _, let passive, _) = guest.asked.first { return !passive }
            return false
        }
    }

    private func checkDemand() {
        let isOn = books.demand > 0
        if !isEnabled {
            if isOn { fault("the service is off, and \(books.demand) sources are wanted") }
            neededUntil = time.awake
            return
        }
        if isNeeded, !isOn { fault("somebody needs a source, and none is wanted") }
        let wantsAll = guests.contains {
            $0.watch?.request.everySource == true && $0.watch?.makesDemand == true
                && $0.watch?.view == .full && $0.watch?.request.location == true && !$0.isGone && !$0.isLawless
        }
        if wantsAll, books.demand != sources.count { fault("somebody wants every source, and \(books.demand) run") }
        if mayBeNeeded { neededUntil = time.awake }
        guard isOn, time.awake - neededUntil > settings.hub.linger + 0.01 else { return }
        let isRefresh =
            settings.hub.refreshInterval != nil
            && time.awake - books.demandSince < settings.hub.refreshTimeout + 0.01
        if !isRefresh {
            fault("nobody has needed a source for \(time.awake - neededUntil) s, and \(books.demand) are wanted")
        }
    }

    // MARK: What is told

    /// Who reads knows the present state, and no receiver counts as tracking that has been silent for too long.
    private func checkStates() {
        let readers = guests.filter { $0.watch != nil && !$0.socket.isBehind && !$0.isLawless }
        for guest in readers where guest.lastEnabled != isEnabled {
            fault("client \(guest.number) believes that the service is \(isEnabled ? "off" : "on")")
        }
        guard let state = followedWitness?.lastState else { return }
        for guest in readers {
            // Who may not see every fix, and wants none itself, is to know nothing of the sources.
            let known = guest.watch?.seesSources == true ? state : "stopped"
            guard guest.lastState != known else { continue }
            fault("client \(guest.number) believes \(guest.lastState ?? "nothing"), and is to know \(known)")
        }
        guard isEnabled, books.receivers.isCertain, time.awake > uncertainUntil else { return }
        if state == "tracking", !books.receivers.isAnyLive(at: time.now.advanced(bySeconds: -0.01)) {
            fault("no receiver has a fresh fix, and all believe that there is one")
        }
        if state != "tracking", let key = books.receivers.followed, key.rank < books.demand,
            books.receivers.isLive(key, at: time.now)
        {
            fault("\(key) has a fresh fix, and all are told \(state)")
        }
    }

    private func checkRequests() {
        for guest in guests where !guest.isGone && !guest.isLawless {
            guard case .location(_, _, let timeout, _, _) = guest.asked.first else { continue }
            if !guest.socket.isReadingInput || guest.socket.isBehind || !guest.unsent.isEmpty {
                guest.headSince = time.awake
            }
            if time.awake - guest.headSince > timeout + 1.1 {
                fault("client \(guest.number) waits longer than the \(timeout) s it wanted to")
            }
        }
    }

    // MARK: Memory

    private func checkBounds() {
        guard let service else { return }
        let hub = service.hub
        let bounds: [(String, Int, Int)] = [
            ("clients", service.clients.count, settings.limits.clients + 200),
            ("places of watches", hub.watches.slots.count, settings.limits.clients + 200),
            ("watchers", service.delivery.watchers.count, settings.limits.clients + 200),
            ("watches", hub.watches.count, service.clients.count),
            ("requests", hub.requests.count, service.clients.count),
            ("requesters", service.requesters.count, hub.requests.count),
            ("receivers", hub.receivers.all.count, Receivers.limit),
            ("monitors", hub.monitors.count, hub.watches.count),
            ("holds", hub.monitors.holds.count, hub.monitors.count),
            ("rates", service.limits.rate.count, 300),
            ("things to do", service.agenda.count, 0),
            ("letters but a view of the sky", letters.letters.count { !$0.event.isSky }, 0),
            ("letters", letters.letters.count, 1),
        ]
        for (name, count, limit) in bounds where count > limit { fault("\(count) \(name), more than \(limit)") }
        for watch in hub.watches.slots.compactMap({ $0 }) where watch.backlog.items.count > 300 {
            fault("\(watch.backlog.items.count) things wait for a watch")
        }
        for case let watch? in hub.watches.slots where watch.request.location || watch.request.heading {
            if watch.backlog.items.count > Backlog.statusLimit + 3 {
                fault("\(watch.backlog.items.count) things wait for a watch")
            }
        }
        for guest in guests where guest.socket.waiting > 65_536 + 1_000_000 { fault("the channel grows") }
    }

    /// Everybody leaves: nothing remains of them.
    func checkEnd() {
        for guest in guests where guest !== everyWitness && guest !== followedWitness { guest.socket.hangUp() }
        disk.isStuck = false
        for _ in 0..<20 {
            disk.work()
            time.loop.advanceTime(by: .seconds(10))
            settle()
        }
        for guest in guests { guest.socket.hangUp() }
        settle()
        // A full disk is tried again now and then, and just now perhaps.
        disk.work()
        settle()
        guard let service else { return }
        let hub = service.hub
        let rests: [(String, Int)] = [
            ("clients", service.clients.count), ("connections", service.registry.count),
            ("watchers", service.delivery.watchers.count { $0 != nil }), ("requesters", service.requesters.count),
            ("watches", hub.watchCount), ("monitors", hub.monitorCount), ("requests", hub.requestCount),
            ("needs", hub.needs.watches), ("needs of every source", hub.needs.everySource),
            ("admitted", service.limits.admission.total), ("refused", service.limits.admission.refused),
            ("answers that wait for the disk", service.monitorPersistence.waitingCount), ("tasks", service.tasks.count),
            ("holds", hub.monitors.holds.count),
        ]
        let held = formerServices.count { $0.service != nil }
        if held > 0 { fault("\(held) daemons that have ended are still in memory") }
        for (name, count) in rests where count != 0 { fault("\(count) \(name) remain after everybody left") }
    }
}
