import GPSDProtocol
import LocationInterface
import LocationModel
import Logging
import NIOCore
import ServedPrograms
import SystemClock
import Varlink

/// What the programs of one user are sent: one watch at the daemon, which judges that user, and as many clients of gpsd's
/// protocol as there are.
///
/// Each report is encoded once. The watch lasts as long as a client wants reports, and a little longer, so that clients that
/// come and go cost the daemon nothing; it is opened anew after an outage.
///
/// Ownership: everything belongs to the event loop.
final class UserFeed {
    /// Seconds between two reports that there is no fix, as gpsd's receivers have them.
    private static let silence = 1.0
    /// How long the watch lasts after the last client that wants it.
    private static let linger = TimeAmount.seconds(3)

    let uid: UInt32
    private let transport: ServedProgram.Transport
    private let daemon: String
    private let limits: ClientLimits
    private let eventLoop: any EventLoop
    private let logger: Logger
    private let encoder = MessageEncoder()
    private(set) var clients: [ObjectIdentifier: GPSDClient] = [:]

    private var watch: ServedWatch?
    private var request: DaemonConnection?
    private var wanted = DemandCount()
    /// What the watch is for.
    private var watched = GPSDSession.Demand.nothing
    private var lingering: Scheduled<Void>?
    /// Whether the user's requests wait, because they are too many.
    private(set) var isPaused = false
    private var tick: Scheduled<Void>?

    private var devices: [GPSDDevice] = []
    private var last: Location?
    private var status: ServiceStatus?
    /// Why there are no reports; `nil` while there may be some.
    private var refusal: String?
    /// Since when nothing was sent.
    private var quietSince = MachineClock.now

    init(
        uid: UInt32, transport: ServedProgram.Transport, daemon: String, limits: ClientLimits,
        eventLoop: any EventLoop, logger: Logger
    ) {
        self.uid = uid
        self.transport = transport
        self.daemon = daemon
        self.limits = limits
        self.eventLoop = eventLoop
        self.logger = logger
    }

    /// Whether it has neither a client nor a watch.
    var isIdle: Bool { clients.isEmpty && watched == .nothing }

    // MARK: Clients

    func add(_ client: GPSDClient) {
        clients[ObjectIdentifier(client)] = client
        client.applyDevices(devices)
        if let refusal { client.applyRefusal(refusal) }
    }

    func remove(_ client: GPSDClient, which share: DemandCount.Share) {
        clients[ObjectIdentifier(client)] = nil
        change(from: share, to: .nothing)
    }

    /// Answers no request for a while.
    func pause() {
        guard !isPaused else { return }
        isPaused = true
        for client in clients.values { client.proceed() }
        eventLoop.assumeIsolated().scheduleTask(in: ClientLimits.pause) { [weak self] in
            guard let self else { return }
            isPaused = false
            for client in clients.values { client.proceed() }
        }
    }

    /// A client wants other reports than before.
    func change(from former: DemandCount.Share, to share: DemandCount.Share) {
        wanted.change(from: former, to: share)
        if wanted.demand > watched {
            watched = wanted.demand
            reopen()
        }
        if wanted.demand == watched {
            lingering?.cancel()
            lingering = nil
        } else if lingering == nil {
            lingering = eventLoop.assumeIsolated().scheduleTask(in: Self.linger) { [weak self] in self?.endLinger() }
        }
    }

    private func endLinger() {
        lingering = nil
        guard wanted.demand != watched else { return }
        watched = wanted.demand
        reopen()
    }

    private func reopen() {
        watch?.close()
        watch = nil
        guard watched != .nothing else { return stop() }
        limits.charge(uid)
        open()
        startTicking()
    }

    private func stop() {
        tick?.cancel()
        tick = nil
        request?.close()
        (request, status, last, refusal) = (nil, nil, nil, nil)
        setDevices([])
    }

    func end() {
        lingering?.cancel()
        watch?.close()
        watch = nil
        stop()
    }

    // MARK: The daemon

    private var program: ServedProgram { ServedProgram(uid: uid, label: "gpsd client", transport: transport) }

    private func open() {
        var request = WatchRequest()
        request.satellites = watched == .locationsAndSatellites
        guard let call = call(LocationInterface.Method.watch, request, more: true) else { return }
        watch = ServedWatch(
            daemon: daemon, call: call, on: eventLoop, readComplete: { [weak self] in self?.flush() },
            receive: { [weak self] in self?.receive($0) })
    }

    private func call(_ method: String, _ request: some Encodable, more: Bool = false) -> [UInt8]? {
        try? encoder.call(method, ServedRequest(request: request, program: program), more: more)
    }

    private func receive(_ input: ServedWatch.Input) {
        switch input {
        case .update(let update):
            if let status = update.status { apply(status) }
            if let location = update.location?.value { apply(location) }
            if let satellites = update.satellites { apply(satellites) }
        case .outage(let reason):
            // The next watch may need another request: a daemon that was started anew may not have recorded the first.
            request?.close()
            request = nil
            refuse(reason)
            logger.debug("no watch", metadata: ["uid": "\(uid)", "reason": "\(reason)"])
        }
    }

    private func apply(_ status: ServiceStatus) {
        // What was sent with full accuracy is not repeated under another.
        if let former = self.status, former.accuracy != status.accuracy {
            last = nil
            for client in clients.values { client.forgetReports() }
        }
        self.status = status
        switch status.authorization {
        case .authorizedAlways, .authorizedWhenInUse:
            // Why there is none at present: the switch, or a user who is not here.
            if !status.enabled || status.source == .stopped, let reason = status.reason { return refuse(reason) }
            refusal = nil
            if status.source != .tracking { loseFix() }
        case .notDetermined:
            // Clients are told once, with the request's outcome, which is a further status.
            if !status.authorizationPending, requestAuthorization() { return }
            refuse(status.reason ?? "there is no decision yet")
        default: refuse(status.reason ?? "locationd does not allow it")
        }
    }

    /// A user without a decision is pending for the administrator.
    /// - Returns: false if this was requested already, since the watch was opened.
    private func requestAuthorization() -> Bool {
        guard request == nil else { return false }
        let parameters = RequestAuthorizationParameters(level: .always, purpose: "gpsd client")
        guard let call = call(LocationInterface.Method.requestAuthorization, parameters) else { return false }
        // Its first input is its last: it does not ask for more than one reply. It stays set, so that it is not repeated.
        request = DaemonConnection(to: daemon, on: eventLoop, call: call) { [weak self] input in
            guard let self else { return }
            request?.close()
            if case .reply(let reply) = input, reply.error == nil { return }
            // It was not recorded, as where too many wait. The watch may have been told of a decision meanwhile.
            guard let status, status.authorization == .notDetermined else { return }
            refuse(status.reason ?? "there is no decision yet")
        }
        return true
    }

    private func apply(_ location: Location) {
        refusal = nil
        quietSince = MachineClock.now
        let path = location.source.gpsdDevice
        if !devices.contains(where: { $0.path == path }) {
            setDevices(devices + [GPSDDevice(path: path, name: location.source.name, activated: MachineClock.utc)])
        }
        last = location
        broadcast(GPSDReport(location, includesSentences: wanted.wantsSentences, isPadded: isPadded))
    }

    private func apply(_ satellites: [Satellite]) {
        let sky = last.map { SkyView(satellites, with: $0) } ?? SkyView(satellites, device: nil)
        broadcast(GPSDReport(sky, isPadded: isPadded))
    }

    private func loseFix() {
        quietSince = MachineClock.now
        broadcast(.noFix(device: last?.source.gpsdDevice))
    }

    private func refuse(_ sentence: String) {
        refusal = sentence
        quietSince = MachineClock.now
        last = nil
        for client in clients.values { client.applyRefusal(sentence) }
    }

    private func setDevices(_ devices: [GPSDDevice]) {
        self.devices = devices
        for client in clients.values { client.applyDevices(devices) }
    }

    private var isPadded: Bool { transport == .tcp }

    /// Writes the report to every client; ``flush()`` has to follow.
    private func broadcast(_ report: GPSDReport) {
        // Clients of the same forms share one buffer. Most have the same.
        var buffers: [(forms: ReportForms, buffer: ByteBuffer)] = []
        for client in clients.values {
            let bytes = client.applyReport(report)
            guard !bytes.isEmpty else { continue }
            let forms = client.session.forms
            let index = buffers.firstIndex { $0.forms == forms } ?? buffers.endIndex
            if index == buffers.endIndex { buffers.append((forms, ByteBuffer(bytes: bytes))) }
            client.writeReport(buffers[index].buffer)
        }
    }

    /// Sends what was broadcast: the location and the satellites of one fix together, if they have arrived together.
    private func flush() {
        for client in clients.values { client.flush() }
    }

    /// Programs written for gpsd expect reports while a receiver is there, with a fix or without.
    private func startTicking() {
        guard tick == nil else { return }
        quietSince = MachineClock.now
        scheduleBeat()
    }

    private func scheduleBeat() {
        tick = eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(seconds: Self.silence)) { [weak self] in
            self?.beat()
            self?.scheduleBeat()
        }
    }

    private func beat() {
        guard MachineClock.now.seconds(since: quietSince) >= Self.silence else { return }
        if let refusal { return refuse(refusal) }
        if let status, status.source != .tracking {
            loseFix()
            flush()
        }
    }
}

extension TimeAmount {
    fileprivate init(seconds: Double) { self = .nanoseconds(Int64(seconds * 1e9)) }
}
