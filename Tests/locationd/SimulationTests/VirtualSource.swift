import LocationHub
@_spi(Programs) import LocationModel
@_spi(Programs) import SystemSupport

@_spi(Programs) @testable import GPSDSource

/// The reader of one gpsd: the real one without socket and thread.
final class VirtualSource {
    let rank: Int
    let name: String
    let gpsd = VirtualGPSD()
    private unowned let machine: SimulatedMachine
    private var run = 0
    private var link: GPSDLink?
    private var connection: Connection?
    private let endpoint: GPSDEndpoint
    /// What the link has told in answer to the bytes at hand.
    private var told: [SourceEvent] = []

    private final class Connection {
        var conversation: Conversation
        var splitter = LineSplitter.gpsd()

        init(_ conversation: consuming Conversation) { self.conversation = conversation }
    }

    init(rank: Int, name: String, device: String? = nil, machine: SimulatedMachine) {
        self.rank = rank
        self.name = name
        self.machine = machine
        endpoint = GPSDEndpoint(device: device)
    }

    var isRunning: Bool { link != nil }

    func start() {
        guard link == nil else { return }
        run += 1
        let run = run
        var link = GPSDLink(
            endpoint: endpoint, count: { _ in },
            needsSatellites: { [machine] in machine.mailbox?.needsSatellites ?? true }
        ) { [unowned self] event in
            if run == self.run { told.append(event) }
        }
        link.begin()
        self.link = link
        deliver()
        connect()
    }

    func stop() {
        run += 1
        link = nil
        connection = nil
    }

    private func later(_ seconds: Double, _ body: @escaping (VirtualSource) -> Void) {
        let run = run
        machine.time.after(seconds) { [weak self] in
            if let self, self.run == run { body(self) }
        }
    }

    private func connect() {
        guard gpsd.mood != .refusing else { return fail(.refused) }
        let connection = Connection(
            Conversation(source: name, endpoint: endpoint, silenceTimeout: 20, at: machine.time.now))
        self.connection = connection
        gpsd.begin(machine.welcome())
        watchDeadline(of: connection)
        later(0.05) { $0.read() }
    }

    private func watchDeadline(of connection: Connection) {
        let patience = connection.conversation.deadline.seconds(since: machine.time.now)
        later(patience) { source in
            guard source.connection === connection else { return }
            guard connection.conversation.deadline <= source.machine.time.now else {
                return source.watchDeadline(of: connection)
            }
            source.fail(connection.conversation.failureAtDeadline)
        }
    }

    private func fail(_ failure: ConnectionFailure) {
        connection = nil
        let wait = link?.fail(failure, jitter: machine.random.number(in: 0...0.999)) ?? 0
        deliver()
        later(wait) { $0.connect() }
    }

    /// Reads what gpsd has said, in pieces of any size.
    func read() {
        guard connection != nil, gpsd.mood != .frozen else { return }
        while connection != nil, !gpsd.output.isEmpty {
            let all = gpsd.output.count
            guard machine.random.chance(0.3) else {
                take(all)
                continue
            }
            take(machine.random.integer(in: 1...min(all, machine.random.chance(0.2) ? 3 : all)))
            if machine.random.chance(0.2) { return }
        }
        if gpsd.isClosing, let connection { fail(connection.conversation.failureAtEnd) }
    }

    private func take(_ count: Int) {
        guard let connection else { return }
        let (bytes, meanings) = gpsd.takeOutput(count)
        var isAsked = false
        let failure = bytes.withUnsafeBytes { bytes in
            link?.receive(bytes, &connection.splitter, &connection.conversation, at: machine.time.now) { line in
                isAsked = line.hasPrefix("?WATCH=")
                return true
            }
        }
        check(meanings, isWhole: failure == nil)
        deliver()
        if let failure { return fail(failure) }
        guard isAsked else { return }
        later(0.1) { source in
            guard source.connection === connection else { return }
            source.gpsd.answerWatch()
            source.read()
        }
    }

    /// Every whole and undamaged line must have come to what it means, in order, and nothing else to anything.
    private func check(_ meanings: [VirtualReceiver.Meaning], isWhole: Bool) {
        var damaged = meanings.count { $0 == .unknown }
        var expected = meanings.filter { $0 != .nothing && $0 != .unknown }[...]
        for event in told {
            let meaning: VirtualReceiver.Meaning
            switch event {
            case .fix(let fix):
                meaning = .fix(
                    device: fix.source.device ?? "", latitude: fix.coordinate.latitude,
                    longitude: fix.coordinate.longitude, mode: fix.mode)
                if fix.monotonicTime != machine.time.now { machine.fault("a fix is not stamped with its arrival") }
            case .noFix(let device): meaning = .noFix(device: device ?? "")
            case .position, .satellites, .satelliteCounts, .heading, .condition, .anomaly: continue
            }
            if let first = expected.first, first.isNear(meaning) {
                expected.removeFirst()
            } else if damaged > 0 {
                damaged -= 1
            } else {
                machine.fault("\(name) reads \(meaning), and gpsd said \(expected.first.map { "\($0)" } ?? "nothing")")
            }
        }
        if isWhole, let first = expected.first { machine.fault("\(name) did not read \(first)") }
    }

    private func deliver() {
        let events = told
        told = []
        for event in events { machine.post(event, from: rank) }
    }
}

extension VirtualReceiver.Meaning {
    /// Numbers are read by another routine than they were written by.
    fileprivate func isNear(_ other: Self) -> Bool {
        guard case .fix(let device, let latitude, let longitude, let mode) = self,
            case .fix(device, let otherLatitude, let otherLongitude, mode) = other
        else { return self == other }
        return abs(latitude - otherLatitude) < 1e-9 && abs(longitude - otherLongitude) < 1e-9
    }
}
