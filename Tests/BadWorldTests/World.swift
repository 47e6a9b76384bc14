import Authorization
import Glibc
import LocationHub
import LocationInterface
import LocationModel
import Logging
import NIOCore
import NIOEmbedded
import TestSupport
import Varlink
import VarlinkServer

@testable import LocationServer

/// The daemon's own parts between gpsds, clients, a disk and clocks that do what they can to upset it.
///
/// Everything is on one thread and nothing waits, so that the same seed makes the same world.
final class World {
    let seed: UInt64
    var dice: Dice
    let time = VirtualTime()
    let disk = VirtualDisk()
    let sessions = FakeLoginSessions()
    var settings: ServerSettings
    var permissions = ExpectedPermissions()
    var isEnabled = true

    /// `nil` while no daemon runs.
    var service: LocationService?
    var mailbox: Mailbox?
    var formerServices: [Former] = []
    var generation = 0
    var sources: [VirtualSource] = []
    /// So many of them are to run.
    var wanted = 0
    var guests: [Guest] = []
    private var sockets: [Int32: VirtualSocket] = [:]
    /// See every fix, and every fix of the followed receiver; they cause nothing and read at once.
    var everyWitness, followedWitness: Guest?
    private var nextGuest = 0

    let books = Books()
    /// What has happened since the books were done last.
    var journal: [Books.Entry] = []
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
        dice = Dice(seed: seed)
        settings = ServerSettings(version: "0", policy: permissions.policy)
        settings.peerCalls = VirtualPeers()
        settings.clientLimit = 40
        settings.clientLimitPerUser = 8
        settings.requestRate = 20
        settings.hub.linger = dice.pick([0.0, 2, 5]) ?? 5
        settings.hub.refreshInterval = dice.seldom(0.5) { _ in 120 }
        settings.hub.reducedInterval = 60
        settings.hub.staleAfter = ExpectedReceivers.staleAfter
        if dice.chance(0.8) {
            var chance = dice.another()
            disk.reduction = ReducedAccuracy(grid: AccuracyGrid(), drift: .random(at: time.now, using: &chance))
                .memory(at: time.now, utc: time.utc)
        }
        permissions.hasReduction = disk.reduction != nil
        setSources()
        startDaemon()
    }

    func fault(_ text: String) { faults.append(text) }

    // MARK: Sources

    func setSources() {
        for source in sources { source.stop() }
        sources = (0..<dice.integer(in: 1...3)).map { VirtualSource(rank: $0, name: "gpsd\($0)", world: self) }
        for source in sources {
            for number in 0..<dice.integer(in: 0...2) { plug("/dev/tty\(source.rank)\(number)", into: source) }
        }
    }

    func plug(_ device: String, into source: VirtualSource) {
        let periods = [0.1, 0.2, 1, 1, 1, 1, 2, 4]
        let receiver = VirtualReceiver(device: device, period: dice.pick(periods) ?? 1, at: time.trueUTC, &dice)
        source.gpsd.receivers.append(receiver)
        tick(receiver, of: source)
    }

    private func tick(_ receiver: VirtualReceiver, of source: VirtualSource) {
        time.after(receiver.period) { [weak self, weak source, weak receiver] in
            guard let self, let source, let receiver else { return }
            if source.isRunning, !receiver.isSilent {
                source.gpsd.report(receiver.epoch(at: time.trueUTC, &dice))
                source.read()
            }
            tick(receiver, of: source)
        }
    }

    func welcome() -> VirtualGPSD.Welcome {
        dice.chance(0.9) ? .proper : dice.pick([.wordless, .dumb, .foreign, .unwilling]) ?? .proper
    }

    /// As the source's thread does.
    func post(_ event: SourceEvent, from rank: Int) {
        if case .anomaly = event { return }
        letters.post(event, from: rank)
        mailbox?.post(event, from: rank)
    }

    /// What the supervisor does when the demand changes, a little later.
    func follow(_ demand: Int) {
        wanted = demand
        let generation = generation
        time.after(0.01) { [weak self] in
            guard let self, generation == self.generation else { return }
            for source in sources { source.rank < wanted ? source.start() : source.stop() }
        }
    }

    // MARK: Clients

    func connect(uid: UInt32, _ kind: SocketKind = .location, capacity: Int) -> Guest? {
        guard let service else { return nil }
        nextGuest += 1
        let number = nextGuest
        let socket = VirtualSocket(loop: time.loop, capacity: capacity) { [weak self] in self?.note($0, of: number) }
        let descriptor = VirtualPeers.descriptor(of: uid, number)
        sockets[descriptor] = socket
        let connection = Connection(
            channel: socket.channel, descriptor: descriptor, sendNow: offer, requestLimit: settings.requestLimit,
            encoder: MessageEncoder())
        do {
            try socket.channel.pipeline.syncOperations.addHandler(socket)
            try Listener.admit(connection) { service.accept($0, descriptor: descriptor, socket: kind) }
            _ = socket.channel.connect(to: try SocketAddress(unixDomainSocketPath: "/client"))
        } catch {
            socket.channel.close(promise: nil)
            return nil
        }
        let process = (service.processes as? VirtualProcesses)?.last ?? 0
        let guest = Guest(number: number, uid: uid, kind: kind, socket: socket, process: process)
        guests.append(guest)
        return guest
    }

    /// As send(2) does.
    var offer: SendNow {
        { [unowned self] descriptor, bytes in
            guard let socket = sockets[descriptor], !socket.isClosed else {
                fault("something is sent to \(descriptor), which nobody has")
                return -Int(EBADF)
            }
            return socket.sendNow(bytes)
        }
    }

    private func note(_ happening: VirtualSocket.Happening, of number: Int) {
        switch happening {
        case .message(let bytes): journal.append(.message(number, bytes, at: time.now))
        case .fellBehind: journal.append(.fellBehind(number))
        case .drained: journal.append(.drained(number))
        case .closed: journal.append(.closed(number))
        case .fault(let text): fault("client \(number): \(text)")
        }
    }

    /// Sends a call, or several at once.
    func send(_ calls: [(text: String, ask: Guest.Ask)], from guest: Guest, splitting isSplit: Bool = false) {
        for (text, ask) in calls {
            if guest.asked.isEmpty { guest.headSince = time.awake }
            guest.asked.append(ask)
            guest.unsent += Array(text.utf8) + [0]
        }
        feed(guest, isSplit ? dice.integer(in: 0...guest.unsent.count) : guest.unsent.count)
    }

    func feed(_ guest: Guest, _ count: Int) {
        guard guest.socket.isReadingInput, count > 0, !guest.isGone else { return }
        let bytes = Array(guest.unsent.prefix(count))
        guest.unsent.removeFirst(bytes.count)
        guest.socket.receive(bytes)
    }

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
