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
/// Each report is encoded once. The watch lasts as long as a client wants reports, and is opened anew after an outage.
///
/// Ownership: everything belongs to the event loop.
final class UserFeed {
    /// Seconds between two reports that there is no fix, as gpsd's receivers have them.
    private static let silence = 1.0

    private let uid: UInt32
    private let daemon: String
    private let eventLoop: any EventLoop
    private let logger: Logger
    private let encoder = MessageEncoder()
    private(set) var clients: [ObjectIdentifier: GPSDClient] = [:]

    private var watch: ServedWatch?
    private var request: DaemonConnection?
    private var demand = GPSDSession.Demand.nothing
    private var tick: Scheduled<Void>?

    private var devices: [GPSDDevice] = []
    private var last: Location?
    private var status: ServiceStatus?
    /// Why there are no reports; `nil` while there may be some.
    private var refusal: String?
    /// Since when nothing was sent.
    private var quietSince = MachineClock.now

    init(uid: UInt32, daemon: String, eventLoop: any EventLoop, logger: Logger) {
        self.uid = uid
        self.daemon = daemon
        self.eventLoop = eventLoop
        self.logger = logger
    }

    var isEmpty: Bool { clients.isEmpty }

    // MARK: Clients

    func add(_ client: GPSDClient) {
        clients[ObjectIdentifier(client)] = client
        client.send(client.session.applyDevices(devices))
        if let refusal { client.send(client.session.applyRefusal(refusal)) }
    }

    func remove(_ client: GPSDClient) {
        clients[ObjectIdentifier(client)] = nil
        update()
    }

    /// A client may want other reports than before.
    func update() {
        let wanted = clients.values.reduce(GPSDSession.Demand.nothing) { demand, client in
            switch (demand, client.session.demand) {
            case (.locationsAndSatellites, _), (_, .locationsAndSatellites): .locationsAndSatellites
            case (.locations, _), (_, .locations): .locations
            case (.nothing, .nothing): .nothing
            }
        }
        guard wanted != demand else { return }
        demand = wanted
        watch?.close()
        watch = nil
        guard demand != .nothing else { return stop() }
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
        watch?.close()
        watch = nil
        stop()
    }

    // MARK: The daemon

    private var program: ServedProgram { ServedProgram(uid: uid, label: "gpsd client") }

    private func open() {
        var request = WatchRequest()
        request.satellites = demand == .locationsAndSatellites
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
            for client in clients.values { client.session.forgetReports() }
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
        let includesSentences = clients.values.contains { $0.session.forms.contains(.nmea) }
        broadcast(GPSDReport(location, includesSentences: includesSentences))
    }

    private func apply(_ satellites: [Satellite]) {
        let sky = last.map { SkyView(satellites, with: $0) } ?? SkyView(satellites, device: nil)
        broadcast(GPSDReport(sky))
    }

    private func loseFix() {
        quietSince = MachineClock.now
        broadcast(.noFix(device: last?.source.gpsdDevice))
    }

    private func refuse(_ sentence: String) {
        refusal = sentence
        quietSince = MachineClock.now
        last = nil
        for client in clients.values { client.send(client.session.applyRefusal(sentence)) }
    }

    private func setDevices(_ devices: [GPSDDevice]) {
        self.devices = devices
        for client in clients.values { client.send(client.session.applyDevices(devices)) }
    }

    /// Writes the report to every client; ``flush()`` has to follow.
    private func broadcast(_ report: GPSDReport) {
        // Clients of the same forms share one buffer. Most have the same.
        var buffers: [(forms: ReportForms, buffer: ByteBuffer)] = []
        for client in clients.values {
            let bytes = client.session.applyReport(report)
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
