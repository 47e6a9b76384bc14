import GPSDProtocol
import LocationFormats
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
@_spi(Programs) import LocationSession
import NIOCore
import ServiceServer
@_spi(Programs) import SystemSupport
import Varlink

/// What the programs of one user are sent: one watch at the daemon, which judges that user, and as many clients of
/// gpsd's protocol as there are.
///
/// Each report is encoded once. The watch lasts as long as a client wants reports, and a little longer, so that clients
/// that come and go cost the daemon nothing; it is opened anew after an outage.
///
/// Ownership: everything belongs to the event loop.
final class UserFeed {
    /// Seconds of silence after which a receiver is reported to have no fix, again and again, as gpsd's receivers
    /// report it.
    private static let silence = 1.0
    /// How long the watch lasts after the last client that wants it.
    private static let linger = TimeAmount.seconds(3)

    let uid: UInt32
    private let transport: ServedProgram.Transport
    private let daemon: String
    private let limits: ClientLimits
    private let estimates: Bool
    private let eventLoop: any EventLoop
    private let log: OutageLog
    private let encoder = MessageEncoder()
    private(set) var clients: [ObjectIdentifier: GPSDClient] = [:]

    private var watch: ServedWatch?
    private var request: PendingCall?
    private var wanted = DemandCount()
    /// What the watch is for.
    private var watched = GPSDSession.Demand.nothing
    private var lingering: Scheduled<Void>?
    /// Whether the user's requests wait, because they are too many.
    private(set) var isPaused = false
    private var tick: Scheduled<Void>?

    /// The configured sources' receivers, and those that have reported. They stay known after the last client, too.
    private var devices: [GPSDDevice] = []
    /// Asks the daemon for its receivers.
    private var inquiry: PendingCall?
    private var reports: FeedReports
    private var view = UserView()
    private var status: ServiceStatus? { view.status }
    /// Whether the user may know the position, by the last status.
    private var isAllowed = false
    /// Why there are no reports; `nil` while there may be some.
    private var refusal: String?
    /// Since when nothing was sent.
    private var quietSince = MachineClock.now

    init(
        uid: UInt32, transport: ServedProgram.Transport, daemon: String, limits: ClientLimits, estimates: Bool,
        eventLoop: any EventLoop, log: OutageLog
    ) {
        self.uid = uid
        self.transport = transport
        self.daemon = daemon
        self.limits = limits
        self.estimates = estimates
        self.eventLoop = eventLoop
        self.log = log
        reports = FeedReports(isPadded: transport == .tcp)
    }

    /// Whether it has neither a client nor a watch.
    var isIdle: Bool { clients.isEmpty && watched == .nothing }

    /// Whether a receiver of its user is known.
    var knowsReceivers: Bool { !devices.isEmpty }

    // MARK: Clients

    func add(_ client: GPSDClient) {
        if clients.isEmpty {
            limits.charge(uid)
            inquire()
        }
        clients[ObjectIdentifier(client)] = client
        client.applyDevices(devices)
        if let refusal { client.applyRefusal(refusal) }
    }

    func remove(_ client: GPSDClient, which share: DemandCount.Share) {
        clients[ObjectIdentifier(client)] = nil
        change(from: share, to: .nothing)
    }

    /// Whether the user's requests are answered now: they wait while there are too many, and until the receivers are
    /// known.
    var isAnswering: Bool { !isPaused && inquiry == nil }

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

    /// Gives a client that begins to watch what has been reported, to answer polls with: so does gpsd.
    func recallReports(for client: GPSDClient) {
        for report in reports.last { _ = client.applyReport(report) }
    }

    private func endLinger() {
        lingering = nil
        guard wanted.demand != watched else { return }
        watched = wanted.demand
        reopen()
    }

    private func reopen() {
        guard watched != .nothing else { return stop() }
        limits.charge(uid)
        open()
        startTicking()
    }

    private func stop() {
        tick?.cancel()
        tick = nil
        watch?.close()
        watch = nil
        request?.cancel()
        reports.forget()
        (request, refusal, view) = (nil, nil, UserView())
        setDevices(devices.map { $0.activated(at: nil) })
    }

    func end() {
        inquiry?.cancel()
        inquiry = nil
        lingering?.cancel()
        stop()
    }

    // MARK: The daemon

    private var program: ServedProgram { ServedProgram(uid: uid, label: "gpsd client", transport: transport) }

    private func open() {
        var request = WatchRequest()
        (request.satellites, request.estimate) = (true, estimates)
        guard let call = call(LocationInterface.Method.watch, request, more: true) else { return }
        watch = ServedWatch(
            daemon: daemon, call: call, on: eventLoop, log: log, readComplete: { [weak self] in self?.flush() },
            receive: { [weak self] in self?.receive($0) })
    }

    // MARK: Receivers

    /// Asks which receivers there are, so that they are listed before they have a fix.
    private func inquire() {
        guard inquiry == nil, let call = call(LocationInterface.Method.listReceivers, NoParameters()) else { return }
        inquiry = PendingCall(call, at: daemon, within: limits.receiversTimeout, on: eventLoop) { [weak self] result in
            guard let self else { return }
            inquiry = nil
            let reply = try? result.get()
            let answer = reply?.error == nil ? try? reply?.parameters(as: ReceiversReply.self) : nil
            if let answer { setDevices(devices.listed(by: answer.receivers)) }
            for client in clients.values { client.proceed() }
        }
    }

    private func call(_ method: String, _ request: some Encodable, more: Bool = false) -> [UInt8]? {
        try? encoder.call(method, ServedRequest(request: request, program: program), more: more)
    }

    private func receive(_ input: ServedWatch.Event) {
        switch input {
        case .answer(let update):
            if let status = update.status { apply(status) }
            if let location = update.location?.value { apply(location) }
            if let satellites = update.satellites { apply(satellites) }
        case .failed(_, isFirst: false): break
        case .failed(let failure, isFirst: true):
            // The next watch may need another request: a daemon that was started anew may not have recorded the first.
            request?.cancel()
            request = nil
            refuse(failure.description)
        }
    }

    private func apply(_ status: ServiceStatus) {
        let former = view.status?.source
        defer { deactivateDevices() }
        // Nor is it repeated in the answer to a poll.
        if let reason = view.apply(status) {
            reports.forget()
            for client in clients.values { client.forgetReports() }
            // Which receivers there are is for those who may know the position, their paths for those who may know it
            // fully.
            if reason != .disabled { (isAllowed, devices) = (false, []) }
            setDevices(devices)
        }
        reports.isReduced = status.accuracy == .reduced
        switch status.authorization {
        case .authorizedAlways, .authorizedWhenInUse:
            // Who was told nothing before may know the receivers from now on.
            if devices.isEmpty, !isAllowed { inquire() }
            isAllowed = true
            // Why there is none at present: the switch, or a user who is not here.
            if !status.enabled || status.source == .stopped, let reason = status.reason { return refuse(reason) }
            refusal = nil
            if status.source != former { quietSince = MachineClock.now }
            // A watch may begin with the last fix of a receiver that is started anew.
            if reports.hasFix, status.source == .lost || status.source == .unavailable { loseFix() }
        case .notDetermined:
            isAllowed = false
            // Clients are told once, with the request's outcome, which is a further status.
            if !status.authorizationPending, requestAuthorization() { return }
            refuse(status.reason ?? "there is no decision yet")
        default:
            isAllowed = false
            refuse(status.reason ?? "locationd does not allow it")
        }
    }

    /// A user without a decision is pending for the administrator.
    /// - Returns: false if this was requested already, since the watch was opened.
    private func requestAuthorization() -> Bool {
        guard request == nil else { return false }
        let parameters = RequestAuthorizationParameters(level: .always)
        guard let call = call(LocationInterface.Method.requestAuthorization, parameters) else { return false }
        // `request` stays set, so that the request is not repeated.
        request = PendingCall(call, at: daemon, within: limits.requestTimeout, on: eventLoop) { [weak self] result in
            guard let self else { return }
            if let reply = try? result.get(), reply.error == nil { return }
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
        if devices.first(where: { $0.path == path })?.activated == nil {
            let device = GPSDDevice(path: path, name: location.source.name, activated: MachineClock.utc)
            setDevices(devices.activating(device))
        }
        let stated = location.statingTime(at: quietSince, utc: MachineClock.utc)
        broadcast(reports.record(stated, from: path, withSentences: wanted.wantsSentences))
    }

    private func apply(_ satellites: [Satellite]) {
        activateDevices()
        broadcast(reports.record(satellites, of: devices, withSentences: wanted.wantsSentences))
    }

    private func loseFix() {
        quietSince = MachineClock.now
        activateDevices()
        broadcast(reports.loseFix(of: devices))
    }

    private func activateDevices() {
        guard let status, let devices = devices.activated(by: status, at: MachineClock.utc) else { return }
        setDevices(devices)
    }

    private func deactivateDevices() {
        guard let status, let devices = devices.deactivated(by: status) else { return }
        setDevices(devices)
    }

    private func refuse(_ sentence: String) {
        refusal = sentence
        quietSince = MachineClock.now
        reports.interrupt()
        for client in clients.values { client.applyRefusal(sentence) }
    }

    private func setDevices(_ devices: [GPSDDevice]) {
        self.devices = devices
        for client in clients.values { client.applyDevices(devices) }
    }

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

    /// Programs written for gpsd expect reports while a receiver is there, with a fix or without. One that is only
    /// starting reports nothing there either, and one that is heard has a second for its first fix.
    private func startTicking() {
        guard tick == nil else { return }
        quietSince = MachineClock.now
        scheduleTick()
    }

    private func scheduleTick() {
        tick = eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(seconds: Self.silence)) { [weak self] in
            self?.reportSilence()
            self?.scheduleTick()
        }
    }

    private func reportSilence() {
        guard MachineClock.now.seconds(since: quietSince) >= Self.silence else { return }
        if let refusal { return refuse(refusal) }
        switch status?.source {
        // Without a receiver gpsd reports nothing: that a fix was lost was said.
        case nil, .tracking, .stopped, .starting, .unavailable: break
        case .searching, .lost, .unknown:
            loseFix()
            flush()
        }
    }
}

extension TimeAmount {
    fileprivate init(seconds: Double) { self = .nanoseconds(Int64(seconds * 1e9)) }
}
