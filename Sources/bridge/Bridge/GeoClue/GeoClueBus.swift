import DBus
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
@_spi(Programs) import LocationSession
import Logging
import NIOCore
import ServiceServer
@_spi(Programs) import SystemSupport
import Varlink

/// The service on the bus: performs what ``GeoClueService`` decides.
///
/// Ownership: everything belongs to the event loop.
/// Its properties are many, because every kind of answer that ``GeoClueService`` awaits has a table of its own.
final class GeoClueBus {
    /// Why it has ended.
    enum End: Error {
        /// Another program has the name.
        case nameTaken
        case failed(String)
        /// Nobody needed it for the idle time-out.
        case idle
    }

    /// What the answer to a call of the bridge is for.
    private enum Question {
        case match
        case name
        case release
        case identity(String)
        case agent(String)
        case app(String)
    }

    /// So many messages are processed before others are given the loop.
    private static let batch = 64
    /// How long the daemon's answer to a call is awaited.
    private static let answerTimeout = TimeAmount.seconds(5)
    private static let (bus, busPath) = ("org.freedesktop.DBus", "/org/freedesktop/DBus")
    private static let signatures: Set<String> = ["s", "o", "u", "v", "bu", "ss", "ssv", "sss", "sa{sv}as", "a{sv}"]

    private let connection: BusConnection
    private let daemon: String
    private let idleTimeout: Double?
    private let eventLoop: any EventLoop
    private let logger: Logger
    private let log: OutageLog
    private let encoder = MessageEncoder()
    private var service: GeoClueService
    private var questions: [UInt64: Question] = [:]
    private var calls: [Int: CallHandle] = [:]
    private var callCount = 0
    private var watches: [Int: ServedWatch] = [:]
    /// The programs whose request for authorization is under way.
    private var requesting: Set<ServedProgram> = []
    private var idleSince = MachineClock.now
    private var isReleasing = false
    /// When the log is told that the bus refuses messages.
    private var refusals = LogPace()
    /// When the log is told that the desktop refuses a program.
    private var refusedPrograms: [Bool: LogPace] = [:]
    private(set) var end: End?
    /// Called once when the name is owned.
    private let whenReady: () -> Void
    /// Called with the state of the service in words.
    private let report: (String) -> Void
    /// Called when something was sent outside of ``process()``: the bus may have to be polled for other events.
    var whenSent: (Int32) -> Void = { _ in }

    init(
        daemon: String, address: String?, estimates: Bool, idleTimeout: Double?, eventLoop: any EventLoop,
        logger: Logger, log: OutageLog,
        whenReady: @escaping () -> Void, report: @escaping (String) -> Void
    ) throws(BusFailure) {
        connection = try BusConnection(address: address, reading: Self.signatures)
        self.daemon = daemon
        service = GeoClueService(estimates: estimates, hasDesktopFile: DesktopFiles.installed.hasFile)
        self.idleTimeout = idleTimeout
        self.eventLoop = eventLoop
        (self.logger, self.log) = (logger, log)
        (self.whenReady, self.report) = (whenReady, report)
        // Programs that leave are known before the first can call.
        try askBus(
            .match, "AddMatch", [.string("type='signal',sender='\(Self.bus)',member='NameOwnerChanged',arg2=''")])
        try askBus(
            .match, "AddMatch",
            [
                .string(
                    "type='signal',interface='\(GeoClueInterfaces.properties)',member='PropertiesChanged',"
                        + "path='\(GeoClueInterfaces.agentPath)'")
            ])
        try requestName()
    }

    var descriptor: Int32 { connection.descriptor }
    var events: Int32 { connection.events }

    /// Seconds after which ``process()`` has to be called again.
    var patience: Double {
        var patience = connection.patience
        if let deadline = service.deadline {
            patience = min(patience, max(0.001, Double((deadline - eventLoop.now).nanoseconds) / 1e9))
        }
        guard let idleTimeout else { return patience }
        return min(patience, max(0.01, idleTimeout - MachineClock.now.seconds(since: idleSince)))
    }

    /// Processes what has come.
    func process() {
        guard end == nil else { return }
        do throws(BusFailure) {
            for _ in 0..<Self.batch {
                guard let message = try connection.receive() else { break }
                try receive(message)
            }
            try perform(service.advance(to: eventLoop.now))
            try releaseIfIdle()
        } catch {
            fail(error)
        }
    }

    func close() {
        for watch in watches.values { watch.close() }
        watches = [:]
    }

    private func fail(_ failure: BusFailure) {
        guard end == nil else { return }
        switch failure {
        case .noLibrary: end = .failed("GeoClue's interface needs libsystemd; install libsystemd0")
        case .failed(let reason):
            end = .failed("the system bus cannot be used (\(reason)); see `systemctl status dbus`")
        }
        whenSent(0)
    }

    // MARK: Messages

    private func askBus(_ question: Question, _ member: String, _ arguments: [BusValue]) throws(BusFailure) {
        questions[try connection.call(Self.bus, Self.busPath, Self.bus, member, arguments)] = question
    }

    /// DBUS_NAME_FLAG_DO_NOT_QUEUE: where another program has the name, this one yields.
    private func requestName() throws(BusFailure) {
        try askBus(.name, "RequestName", [.string(GeoClueInterfaces.name), .uint32(4)])
    }

    private func receive(_ message: BusMessage) throws(BusFailure) {
        switch message.content {
        case .call(let path, let interface, let member, let handle):
            callCount += 1
            calls[callCount] = handle
            idleSince = MachineClock.now
            let call = GeoClueCall(
                number: callCount, sender: message.sender ?? "", path: path, interface: interface, member: member,
                signature: message.signature, arguments: message.arguments)
            try perform(service.receive(call, at: eventLoop.now))
        case .signal(_, _, "NameOwnerChanged") where message.sender == Self.bus:
            guard let name = message.arguments.first?.text else { return }
            try perform(service.forgetProgram(name, at: eventLoop.now))
        case .signal(GeoClueInterfaces.agentPath, GeoClueInterfaces.properties, "PropertiesChanged"):
            guard let sender = message.sender, message.arguments.first?.text == GeoClueInterfaces.agent else { return }
            try perform(service.noteChange(ofAgent: sender, at: eventLoop.now))
        case .signal: break
        case .reply(let cookie):
            if let question = questions.removeValue(forKey: cookie) { try apply(message.arguments, to: question) }
        case .error(let cookie, let name, let text):
            guard let question = questions.removeValue(forKey: cookie) else { return }
            let isOfBus = message.sender == Self.bus
            if isOfBus, name == "org.freedesktop.DBus.Error.AccessDenied" { warnAboutPolicy(text) }
            try applyError(text, to: question, isOfBus: isOfBus)
        }
    }

    private func apply(_ values: [BusValue], to question: Question) throws(BusFailure) {
        switch (question, values.first) {
        case (.match, _): break
        // 1 and 4: it is the owner, now or already.
        case (.name, .uint32(let code)?) where code == 1 || code == 4: whenReady()
        case (.name, _): end = .nameTaken
        case (.release, _):
            // Whoever called before the name was given back is served.
            guard service.isIdle, calls.isEmpty else {
                isReleasing = false
                return try requestName()
            }
            end = .idle
        case (.identity(let sender), .properties(let credentials)?):
            var uid: UInt32?
            if case .uint32(let number)? = credentials["UnixUserID"] { uid = number }
            let process = SenderProcess(credentials)
            try perform(service.applyIdentity(uid, in: process, of: sender, at: eventLoop.now))
        case (.identity(let sender), _): try perform(service.applyIdentity(nil, of: sender, at: eventLoop.now))
        case (.agent(let sender), .variant(.uint32(let level))?):
            try perform(service.apply(.level(level), ofAgent: sender, at: eventLoop.now))
        case (.agent(let sender), _): try perform(service.apply(.error, ofAgent: sender, at: eventLoop.now))
        case (.app(let sender), _):
            try perform(service.apply(Self.appAnswer(values), ofAgent: sender, at: eventLoop.now))
        }
    }

    /// What an agent's reply to `AuthorizeApp` says.
    private static func appAnswer(_ values: [BusValue]) -> AppQuestions.Answer {
        guard values.count == 2, case .boolean(let isAllowed) = values[0], case .uint32(let level) = values[1] else {
            return .none
        }
        return isAllowed ? .allowed(level) : .refused
    }

    /// - Parameter isOfBus: the bus itself has answered, and not whom it was asked of.
    private func applyError(_ text: String, to question: Question, isOfBus: Bool) throws(BusFailure) {
        switch question {
        case .name:
            end = .failed(
                "the bus does not give \(GeoClueInterfaces.name) to this user (\(text)); see locationd-bridge(8)")
        case .identity(let sender): try perform(service.applyIdentity(nil, of: sender, at: eventLoop.now))
        case .agent(let sender):
            try perform(service.apply(isOfBus ? .undelivered : .error, ofAgent: sender, at: eventLoop.now))
        case .app(let sender):
            try perform(
                service.apply(isOfBus ? AppQuestions.Answer.undelivered : .none, ofAgent: sender, at: eventLoop.now))
        case .match, .release: throw .failed(text)
        }
    }

    /// A question that the bus refuses is asked again every second.
    private func warnAboutPolicy(_ text: String) {
        guard let count = refusals.note(at: MachineClock.now) else { return }
        logger.warning(
            "the bus refuses messages of this service; see its policy in /usr/share/dbus-1/system.d",
            metadata: ["error": "\(text)", "count": "\(count)"])
    }

    private func noteRefusal(of program: ServedProgram, _ reason: String, isForDesktopFile: Bool) {
        // Everybody can read the state: it names no program.
        if isForDesktopFile {
            report("it has refused a program without a desktop file; `sudo locctl diagnose` names it")
        }
        let pace = refusedPrograms[isForDesktopFile, default: LogPace()].note(at: MachineClock.now)
        guard let count = pace else { return }
        var metadata: Logger.Metadata = [
            "program": "\(program.label.escapingUnprintable())", "uid": "\(program.uid)", "reason": "\(reason)",
            "count": "\(count)",
        ]
        if isForDesktopFile { metadata[DesktopID.missingFileMark.key] = "\(DesktopID.missingFileMark.value)" }
        logger.notice("the desktop refuses a program the position", metadata: metadata)
    }

    private func releaseIfIdle() throws(BusFailure) {
        guard service.isIdle, calls.isEmpty else {
            idleSince = MachineClock.now
            return
        }
        guard let idleTimeout, !isReleasing, end == nil, MachineClock.now.seconds(since: idleSince) >= idleTimeout
        else {
            return
        }
        isReleasing = true
        try askBus(.release, "ReleaseName", [.string(GeoClueInterfaces.name)])
    }

    // MARK: Steps

    /// Performs what the daemon's replies lead to.
    private func performOutside(_ steps: [GeoClueService.Step]) {
        guard end == nil else { return }
        do throws(BusFailure) {
            try perform(steps)
            whenSent(events)
        } catch {
            fail(error)
        }
    }

    private func perform(_ steps: [GeoClueService.Step]) throws(BusFailure) {
        for step in steps {
            switch step {
            case .reply(let number, let values):
                if let call = calls.removeValue(forKey: number) { try connection.reply(to: call, values) }
            case .fail(let number, let error, let text):
                if let call = calls.removeValue(forKey: number) {
                    try connection.replyError(to: call, error.name, text)
                }
            case .signal(let path, let interface, let member, let values, let destination):
                try connection.signal(path, interface, member, values, to: destination)
            case .identify(let sender): try askBus(.identity(sender), "GetConnectionCredentials", [.string(sender)])
            case .watch(let number, let program, let request): open(number, program, request)
            case .endWatch(let number): watches.removeValue(forKey: number)?.close()
            case .requestAuthorization(let program):
                guard requesting.insert(program).inserted else { break }
                let parameters = RequestAuthorizationParameters(level: .always)
                askDaemon(LocationInterface.Method.requestAuthorization, parameters, program) { [weak self] _ in
                    self?.requesting.remove(program)
                }
            case .noteRefusal(let program, let reason, let isForDesktopFile):
                noteRefusal(of: program, reason, isForDesktopFile: isForDesktopFile)
            case .askStatus(let program):
                askDaemon(LocationInterface.Method.getStatus, NoParameters(), program) { [weak self] reply in
                    guard let self else { return }
                    let status = try? reply?.parameters(as: StatusReply.self).status
                    performOutside(service.applyStatus(status, of: program.uid, at: eventLoop.now))
                }
            case .askFollowed(let number, let start, let program):
                askDaemon(LocationInterface.Method.watchRequests, NoParameters(), program) { [weak self] reply in
                    guard let self else { return }
                    let requests = try? reply?.parameters(as: RequestsReply.self)
                    performOutside(
                        service.applyFollowed(
                            requests?.ceiling != nil && requests?.followed == true, to: number, start: start))
                }
            case .authorizeApp(let sender, let desktopID, let level):
                questions[
                    try connection.call(
                        sender, GeoClueInterfaces.agentPath, GeoClueInterfaces.agent, "AuthorizeApp",
                        [.string(desktopID), .uint32(level)])] = .app(sender)
            case .askAgent(let sender):
                let arguments = [BusValue.string(GeoClueInterfaces.agent), .string("MaxAccuracyLevel")]
                questions[
                    try connection.call(
                        sender, GeoClueInterfaces.agentPath, GeoClueInterfaces.properties, "Get", arguments)] = .agent(
                        sender)
            }
        }
    }

    private func open(_ number: Int, _ program: ServedProgram, _ request: WatchRequest) {
        watches.removeValue(forKey: number)?.close()
        let served = ServedRequest(request: request, program: program)
        guard let call = try? encoder.call(LocationInterface.Method.watch, served, more: true) else { return }
        watches[number] = ServedWatch(daemon: daemon, call: call, on: eventLoop, log: log) { [weak self] input in
            guard let self else { return }
            switch input {
            case .failed(_, let isFirst): if isFirst { performOutside(service.applyOutage(to: number)) }
            case .answer(let update):
                if let status = update.status { performOutside(service.apply(status, to: number, at: eventLoop.now)) }
                if let location = update.location?.value {
                    performOutside(service.apply(location, to: number, at: MachineClock.utc))
                }
            }
        }
    }

    /// Calls a method of the daemon once. `receive` gets its reply; `nil` if there is none in time or it is an error.
    private func askDaemon(
        _ method: String, _ request: some Encodable, _ program: ServedProgram, receive: @escaping (Reply?) -> Void
    ) {
        guard let call = try? encoder.call(method, ServedRequest(request: request, program: program)) else { return }
        PendingCall(call, at: daemon, within: Self.answerTimeout, on: eventLoop) { result in
            let reply = try? result.get()
            receive(reply?.error == nil ? reply : nil)
        }
    }
}
