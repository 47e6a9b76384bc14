import Authorization
import LocationHub
import LocationModel
import Logging
import NIOCore
import NIOEmbedded
import ServerDoubles
import VarlinkServer

@testable import LocationServer

/// Starting and ending the daemon, as often as the world wants.
extension World {
    func startDaemon() {
        generation += 1
        wanted = 0
        permissions.isReadable = true
        permissions.readAgain(disk.decisions)
        isEnabled = disk.isEnabled
        settings.policy = permissions.policy
        let hub = Hub(
            settings: settings.hub, sources: sources.map(\.name), isEnabled: disk.isEnabled,
            sequenceStart: disk.takeSequenceStart(), lastLocation: disk.location,
            reduction: disk.reduction.map { ReducedAccuracy($0) },
            monitors: disk.monitors, at: time.now, generator: dice.another())
        let service = ServerDispatcher(
            loop: ServiceLoop(on: time.loop), settings: settings, decisions: .known(disk.decisions), sessions: sessions,
            hub: hub,
            environment: hooks().environment, logger: Logger(label: "world") { _ in SwiftLogNoOpLogHandler() },
            clock: time.clock)
        service.processes = VirtualProcesses()
        service.delivery.directSends = DirectSendTable(sendNow: offer)
        self.service = service
        let bound = NIOLoopBound(self, eventLoop: time.loop)
        let (loop, generation) = (time.loop, generation)
        mailbox = Mailbox { _ in loop.execute { bound.value.readMailbox(of: generation) } }
        books.begin(last: disk.location)
        // The first two places are theirs.
        followedWitness = connect(uid: 0, capacity: .max)
        everyWitness = connect(uid: 0, capacity: .max)
        for (witness, everySource) in [(followedWitness, false), (everyWitness, true)] {
            guard let witness else { continue }
            var request = ExpectedWatch.Request()
            request.passive = true
            request.everySource = everySource
            send([(Wording.watch(request), .watch(request))], from: witness)
        }
    }

    private func readMailbox(of generation: Int) {
        guard generation == self.generation, let service, let mailbox else { return }
        journal.append(.read(letters.letters, lost: letters.lostFixes))
        letters = ShadowMailbox()
        service.read(mailbox)
    }

    private func hooks() -> ServerHooks {
        let bound = NIOLoopBound(self, eventLoop: time.loop)
        let generation = generation
        @Sendable func present() -> World? { bound.value.generation == generation ? bound.value : nil }
        var hooks = ServerHooks()
        hooks.tasks = disk.threads
        hooks.waitingTasks = disk.threads
        hooks.onDemand = { count in
            guard let world = present() else { return }
            world.journal.append(.demand(count))
            world.follow(count)
        }
        hooks.onReservedSequences = { present()?.disk.sequenceLimit = $0 }
        hooks.onLocation = { present()?.disk.location = $0 }
        hooks.onReduction = { reduction in
            guard let world = present() else { return }
            world.disk.reduction = reduction.memory
        }
        hooks.onDecisionsSoon = { table in try? present()?.disk.keep(table) }
        hooks.onDecisions = { table in try present()?.disk.keep(table) }
        hooks.onSwitch = { present()?.disk.wasSwitchedOn = $0 }
        hooks.onPersistSwitch = {
            guard let disk = present()?.disk else { return }
            if disk.isFull { throw VirtualDisk.Full() }
            disk.isEnabled = disk.wasSwitchedOn
        }
        hooks.onMonitors = { monitors in
            guard let disk = present()?.disk else { return }
            try disk.keep(monitors)
        }
        return hooks
    }

    /// The daemon is killed: what is not on the disk is gone.
    func killDaemon() {
        generation += 1
        formerServices.append(Former(service: service))
        // Sessions are observed by who holds them.
        service?.permissions.end()
        service = nil
        mailbox = nil
        for source in sources { source.stop() }
        for guest in guests {
            guest.isLawless = true
            guest.socket.hangUp()
        }
        guests = []
        letters = ShadowMailbox()
        time.loop.run()
        journal = []
    }

    /// The daemon is asked to end: every watch is told, and what can be kept is kept.
    func stopDaemon() {
        for guest in guests { guest.watch?.forgetHeld() }
        _ = service?.finish(reason: "stopping", within: 5)
        settle()
        let watching = guests.filter { $0.isPrompt && !$0.isLawless && ($0.watch != nil || $0.monitor != nil) }
        if let one = watching.first { fault("client \(one.number) was not told that the daemon ends") }
        killDaemon()
    }
}

/// A daemon that has ended; nothing may hold it for long.
struct Former {
    weak var service: ServerDispatcher?
}
