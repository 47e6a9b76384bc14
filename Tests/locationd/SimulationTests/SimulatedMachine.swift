import LocationHub
@_spi(Programs) import LocationModel
import NIOEmbedded
import ProgramTestSupport
import ReferenceModel

@testable import LocationServer

/// The daemon's own parts between gpsds, clients, a disk and clocks that do what they can to upset it.
///
/// Everything is on one thread and nothing waits, so that the same seed makes the same run.
final class SimulatedMachine {
    static let staleAfter = 3.0
    static let hysteresis = 2.0

    let seed: UInt64
    var random: SeededRandom
    let time = VirtualTime()
    let disk = VirtualDisk()
    let sessions = FakeLoginSessions()
    var settings: ServerSettings
    var permissions = ExpectedPermissions()
    var isEnabled: Bool { model.isEnabled }

    /// `nil` while no daemon runs.
    var service: ServerDispatcher?
    var mailbox: Mailbox?
    var formerServices: [Former] = []
    var generation = 0
    var sources: [VirtualSource] = []
    /// So many of them are to run.
    var wanted = 0
    /// The names of those that cost hardly any power, and of those that are spared for them.
    var lowPower: Set<String> = []
    var spared: Set<String> = []
    /// When that changed, in seconds the machine was awake.
    var sparedSince = 0.0
    var clients: [SimulatedClient] = [] {
        didSet { model.clients = clients.map(\.expected) }
    }
    var sockets: [Int32: VirtualSocket] = [:]
    /// Two clients that see every fix, and every fix of the followed receiver; they make no demand and read at once.
    var everySourceObserver, observer: SimulatedClient?
    /// It asks for estimates, which the reference model does not know; what they are is checked by themselves.
    var estimateObserver: SimulatedClient?
    var nextClient = 0

    let model = ExpectedService(
        receivers: ExpectedReceivers(staleAfter: staleAfter, hysteresis: hysteresis, tolerance: 0.005))
    private(set) lazy var reader = WireReader(model: model)
    /// What has happened since the reference model was last told.
    var journal: [WireReader.Entry] = []
    /// What waits in the mailbox.
    var expectedMailbox = ExpectedMailbox()
    var faults: [String] { model.faults }
    /// Until when the daemon may lag behind a sleep of the machine's, in seconds the machine was awake.
    var uncertainUntil = 0.0

    /// What can happen.
    let events = Event.time + Event.clients + Event.sources + Event.administration
    let eventWeight: Double

    init(seed: UInt64) {
        eventWeight = events.reduce(0) { $0 + $1.weight }
        self.seed = seed
        random = SeededRandom(seed: seed)
        settings = ServerSettings(version: "0", policy: permissions.policy)
        settings.peerCalls = VirtualPeers()
        settings.limits.clients = 40
        settings.limits.clientsPerUser = 8
        settings.limits.requestsPerSecond = 20
        settings.hub.linger = random.pick([0.0, 2, 5]) ?? 5
        settings.hub.refreshInterval = random.seldom(0.5) { _ in 120 }
        settings.hub.reducedInterval = 60
        settings.hub.pauseInterval = 60
        settings.hub.staleAfter = Self.staleAfter
        settings.hub.failoverHysteresis = Self.hysteresis
        if random.chance(0.8) {
            var generator = random.another()
            disk.reduction = ReducedMemory(size: 2000, using: &generator)
        }
        permissions.hasReduction = disk.reduction != nil
        setSources()
        startDaemon()
    }

    /// Nothing more reaches a client whose connection is closed.
    func noteWhoIsGone() {
        for client in clients { client.expected.isGone = client.isGone }
    }

    func fault(_ text: String) { model.report(text) }

    /// Lets everything happen that needs no time to pass.
    func settle() {
        time.loop.run()
        for client in clients where client.isPrompt { client.socket.read(.max) }
        time.loop.run()
        reader.read(journal, in: self)
        journal = []
        for client in clients where client.leavesWhenAnswered && client.asked.isEmpty && !client.isGone {
            client.socket.hangUp()
        }
        clients.removeAll { $0.socket.isClosed }
        sockets = sockets.filter { !$0.value.isClosed }
        time.loop.run()
        reader.read(journal, in: self)
        journal = []
    }
}
