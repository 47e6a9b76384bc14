import Authorization
import LocationHub
@_spi(Programs) import LocationModel
import Logging
import NIOCore
import NIOEmbedded
import ReferenceModel
import ServerDoubles
import ServiceServer

@testable import LocationServer

/// Starting and ending the daemon, any number of times.
extension SimulatedMachine {
    func startDaemon() {
        generation += 1
        (wanted, spared) = (0, [])
        permissions.isReadable = true
        permissions.readAgain(disk.decisions, at: time)
        checkTerms()
        settings.policy = permissions.policy
        let hub = Hub(
            settings: settings.hub, sources: sources.map(\.name), lowPower: lowPower, isEnabled: disk.isEnabled,
            sequenceStart: disk.takeSequenceStart(), lastLocation: disk.location,
            reduction: disk.reduction.map { ReducedAccuracy($0) },
            monitors: disk.monitors, at: time.now, generator: random.another())
        let service = ServerDispatcher(
            loop: ServiceLoop(on: time.loop), settings: settings, decisions: .known(disk.decisions), sessions: sessions,
            hub: hub,
            environment: hooks().environment, logger: Logger(label: "machine") { _ in SwiftLogNoOpLogHandler() },
            clock: time.clock)
        service.connections.processes = VirtualProcesses()
        service.locations.delivery.directSends = DirectSendTable(sendNow: offer)
        self.service = service
        let bound = NIOLoopBound(self, eventLoop: time.loop)
        let (loop, generation) = (time.loop, generation)
        mailbox = Mailbox { _ in loop.execute { bound.value.readMailbox(of: generation) } }
        reader.begin(last: disk.location, isEnabled: disk.isEnabled)
        // The first three places are theirs.
        observer = connect(uid: 0, capacity: .max)
        everySourceObserver = connect(uid: 0, capacity: .max)
        estimateObserver = connect(uid: 0, capacity: .max)
        estimateObserver?.isExempt = true
        for (observer, everySource) in [(observer, false), (everySourceObserver, true), (estimateObserver, false)] {
            guard let observer else { continue }
            var request = WatchRequest()
            request.passive = true
            request.everySource = everySource
            request.estimate = observer === estimateObserver
            send([(CallText.watch(request), .watch(request))], from: observer)
        }
    }

    private func readMailbox(of generation: Int) {
        guard generation == self.generation, let service, let mailbox else { return }
        journal.append(.read(expectedMailbox.entries, lost: expectedMailbox.lostFixes, at: time.now))
        expectedMailbox = ExpectedMailbox()
        service.read(mailbox)
    }

    private func hooks() -> ServerHooks {
        let bound = NIOLoopBound(self, eventLoop: time.loop)
        let generation = generation
        @Sendable func present() -> SimulatedMachine? { bound.value.generation == generation ? bound.value : nil }
        var hooks = ServerHooks()
        hooks.tasks = disk.threads
        hooks.waitingTasks = disk.threads
        hooks.groups = { uid in uid == ExpectedPermissions.member ? [ExpectedPermissions.group] : [] }
        hooks.onDemand = { count in
            guard let machine = present() else { return }
            machine.journal.append(.demand(count))
            machine.follow(count)
        }
        hooks.onSourcesOff = { names in
            guard let machine = present() else { return }
            (machine.spared, machine.sparedSince) = (names, machine.time.awake)
            machine.journal.append(.spared(machine.sparedRanks, at: machine.time.now))
            machine.follow(machine.wanted)
        }
        hooks.onReservedSequences = { present()?.disk.sequenceLimit = $0 }
        hooks.onLocation = { present()?.disk.location = $0 }
        hooks.onReduction = { reduction in
            guard let machine = present() else { return }
            machine.disk.reduction = reduction.memory
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
        // The observer of the sessions holds the service.
        service?.decisions.permissions.end()
        service = nil
        mailbox = nil
        for source in sources { source.stop() }
        for client in clients {
            client.isExempt = true
            client.socket.hangUp()
        }
        clients = []
        expectedMailbox = ExpectedMailbox()
        time.loop.run()
        journal = []
    }

    /// The daemon is asked to end: every watch is told, and what can be kept is kept.
    func stopDaemon() {
        model.forgetHeld(sendsBatches: true)
        _ = service?.finish(reason: "stopping", within: 5)
        settle()
        let watching = clients.filter { $0.isPrompt && !$0.isExempt && ($0.watch != nil || $0.monitor != nil) }
        if let one = watching.first { fault("client \(one.number) was not told that the daemon ends") }
        killDaemon()
    }
}

/// A daemon that has ended; nothing may hold it for long.
struct Former {
    weak var service: ServerDispatcher?
}
