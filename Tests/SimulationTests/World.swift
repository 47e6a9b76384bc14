import LocationHub
import LocationModel
import NIOEmbedded
import TestSupport

@testable import LocationServer

/// The daemon's own parts between gpsds, clients, a disk and clocks that do what they can to upset it.
///
/// Everything is on one thread and nothing waits, so that the same seed makes the same world.
final class World {
    let seed: UInt64
    var dice: SeededRandom
    let time = VirtualTime()
    let disk = VirtualDisk()
    let sessions = FakeLoginSessions()
    var settings: ServerSettings
    var permissions = ExpectedPermissions()
    var isEnabled = true

    /// `nil` while no daemon runs.
    var service: ServerDispatcher?
    var mailbox: Mailbox?
    var formerServices: [Former] = []
    var generation = 0
    var sources: [VirtualSource] = []
    /// So many of them are to run.
    var wanted = 0
    var guests: [Guest] = []
    var sockets: [Int32: VirtualSocket] = [:]
    /// See every fix, and every fix of the followed receiver; they cause nothing and read at once.
    var everyWitness, followedWitness: Guest?
    var nextGuest = 0

    let books = ReferenceModel()
    /// What has happened since the books were done last.
    var journal: [ReferenceModel.Entry] = []
    /// What waits in the mailbox.
    var letters = ShadowMailbox()
    var faults: [String] = []
    /// When somebody may have needed a source last, and until when the daemon may lag behind a sleep of the machine's,
    /// in seconds the machine was awake.
    var neededUntil = 0.0
    var uncertainUntil = 0.0

    /// What can happen.
    let events = Event.time + Event.clients + Event.sources + Event.administration
    let eventWeight: Double

    init(seed: UInt64) {
        eventWeight = events.reduce(0) { $0 + $1.weight }
        self.seed = seed
        dice = SeededRandom(seed: seed)
        settings = ServerSettings(version: "0", policy: permissions.policy)
        settings.peerCalls = VirtualPeers()
        settings.limits.clients = 40
        settings.limits.clientsPerUser = 8
        settings.limits.requestsPerSecond = 20
        settings.hub.linger = dice.pick([0.0, 2, 5]) ?? 5
        settings.hub.refreshInterval = dice.seldom(0.5) { _ in 120 }
        settings.hub.reducedInterval = 60
        settings.hub.staleAfter = ExpectedReceivers.staleAfter
        if dice.chance(0.8) {
            var chance = dice.another()
            disk.reduction = ReducedMemory(size: 2000, using: &chance)
        }
        permissions.hasReduction = disk.reduction != nil
        setSources()
        startDaemon()
    }

    func fault(_ text: String) { faults.append(text) }

    /// Lets everything happen that needs no time to pass.
    func settle() {
        time.loop.run()
        for guest in guests where guest.isPrompt { guest.socket.read(.max) }
        time.loop.run()
        books.take(journal, in: self)
        journal = []
        for guest in guests where guest.leavesWhenAnswered && guest.asked.isEmpty && !guest.isGone {
            guest.socket.hangUp()
        }
        guests.removeAll { $0.socket.isClosed }
        sockets = sockets.filter { !$0.value.isClosed }
        time.loop.run()
        books.take(journal, in: self)
        journal = []
    }
}
