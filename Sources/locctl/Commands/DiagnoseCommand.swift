import AdministrationInterface
import ArgumentParser
import Glibc
import LocationInterface
import LocationKit
import SystemClock
import Varlink

/// `locctl diagnose`: checks the chain from the receiver to the caller, link by link.
struct DiagnoseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diagnose",
        abstract: "Checks the chain from the receiver to you, and says what to do if a link is broken.")

    @OptionGroup var options: ConnectionOptions

    @Option(help: "Wait so many seconds for a fix.")
    var patience = 15.0

    func validate() throws {
        guard patience.isFinite, patience > 0 else { throw ValidationError("--patience is more than 0 seconds") }
    }

    func run() throws {
        var diagnosis = Diagnosis()
        diagnosis.examine(options, patience: patience)
        if options.json {
            try Output.writeJSON(diagnosis)
        } else {
            for line in diagnosis.steps.flatMap(\.lines) { Output.write(line) }
            if diagnosis.isSound { Output.write("Everything works.") }
        }
        if !diagnosis.isSound { throw Failure(code: diagnosis.exitCode, message: nil) }
    }
}

/// The findings, from the nearest link to the farthest, up to the first broken one.
struct Diagnosis: Encodable {
    struct Step: Encodable {
        let link: String
        let isSound: Bool
        let finding: String
        var advice: String?

        var lines: [String] {
            let gap = String(repeating: " ", count: max(1, 12 - link.count))
            return ["[\(isSound ? "ok" : "!!")] \(link)\(gap)\(finding)"]
                + (advice.map { ["                 -> \($0)"] } ?? [])
        }
    }

    private(set) var steps: [Step] = []
    private(set) var exitCode = ExitCodes.failed

    private enum CodingKeys: String, CodingKey { case steps }

    var isSound: Bool { steps.allSatisfy(\.isSound) }

    mutating func examine(_ options: ConnectionOptions, patience: Double) {
        examineChain(options, patience: patience)
        if isSound { exitCode = ExitCodes.failed }
        services()
    }

    private mutating func examineChain(_ options: ConnectionOptions, patience: Double) {
        do {
            let connection = try options.connect()
            let info = try connection.call("org.varlink.service.GetInfo", as: Info.self)
            add("daemon", "\(info.product) \(info.version) answers at \(options.path)")
            let callerStatus = try CallerStatus(over: connection)
            guard permission(callerStatus) else { return }
            try decisions(over: connection)
            programs(over: connection)
            guard isOn(callerStatus.status) else { return }
            try receiver(options, patience: patience)
            try compass(options, patience: min(patience, Self.compassPatience))
            // There is a location, whatever else is broken.
            if steps.last?.isSound == true { exitCode = ExitCodes.failed }
        } catch let error as LocationError {
            exitCode = error.exitCode
            fail(error.link, "\(error)", advice: nil)
        } catch {
            fail("daemon", "\(error)", advice: nil)
        }
    }

    private struct Info: Decodable { let product, version: String }

    private mutating func permission(_ callerStatus: CallerStatus) -> Bool {
        let status = callerStatus.status
        let words = PermissionText.words(status.authorization)
        if PermissionText.headline(callerStatus) == nil {
            let pending = status.authorizationPending ? "; your request for a higher level is pending" : ""
            let accuracy = callerStatus.isReduced ? ", with reduced accuracy: \(Text.reduction)" : ""
            add("permission", "you may know the position (\(words))\(accuracy)\(pending)")
            return true
        }
        exitCode = ExitCodes.notAuthorized
        let now = callerStatus.isSuspended ? " now" : ""
        let pending = status.authorizationPending ? ", your request is pending" : ""
        fail(
            "permission",
            "you may not know the position\(now) (\(words))\(pending)" + (status.reason.map { ": \($0)" } ?? ""),
            advice: PermissionText.steps(callerStatus))
        return false
    }

    /// Rules that do not work concern administrators, and only they can read them.
    private mutating func decisions(over connection: VarlinkConnection) throws(LocationError) {
        do throws(LocationError) {
            let list = try connection.call(AdminInterface.Method.listAuthorizations, as: AuthorizationList.self)
            for rule in list.inactive { add("policy", "has no effect on this machine: \(rule)") }
        } catch {
            guard case .refused(AdminInterface.Failure.failed, let reason?) = error else { return }
            fail("decisions", reason, advice: "until then all users but root and the daemon's user are refused")
        }
    }

    private mutating func isOn(_ status: ServiceStatus) -> Bool {
        exitCode = ExitCodes.noLocation
        if status.enabled {
            add("switch", "the service is switched on")
        } else {
            fail("switch", "the service is switched off", advice: "an administrator runs `sudo locctl start`")
        }
        return status.enabled
    }

    mutating func add(_ link: String, _ finding: String, advice: String? = nil) {
        steps.append(Step(link: link, isSound: true, finding: finding, advice: advice))
    }

    mutating func fail(_ link: String, _ finding: String, advice: String?) {
        steps.append(Step(link: link, isSound: false, finding: finding, advice: advice))
    }

    /// - Parameter advice: alternatives.
    private mutating func fail(_ link: String, _ finding: String, advice: [String]) {
        fail(link, finding, advice: advice.isEmpty ? nil : advice.joined(separator: "; "))
    }
}

extension LocationError {
    /// The link of the chain that an error is about.
    fileprivate var link: String {
        switch self {
        case .unauthorized: "permission"
        case .disabled: "switch"
        case .unavailable, .timedOut: "fix"
        default: "daemon"
        }
    }
}

/// The links beyond the daemon: source, device, satellites, fix.
extension Diagnosis {
    private static let clearView =
        "give the antenna a clear view of the sky; after a cold start a receiver needs a minute, some need ten"

    /// Requests locations and follows the updates until there is a location, or the time is over.
    mutating func receiver(_ options: ConnectionOptions, patience: Double) throws {
        let connection = try options.connect()
        var request = WatchRequest()
        request.satellites = true
        request.purpose = "locctl diagnose"
        try connection.send(LocationInterface.Method.watch, request, more: true)
        var last: ServiceStatus?
        var sky: [Satellite]?
        let end = MachineClock.now.advanced(bySeconds: patience)
        while let reply = try connection.nextReply(seconds: end.seconds(since: MachineClock.now)) {
            let update = try reply.answer(as: WatchReply.self)
            try update.status?.requirePermission()
            last = update.status ?? last
            sky = update.satellites ?? sky
            if let location = update.location?.value {
                add("source", "\(location.source.name) delivers")
                if let device = location.source.device { add("device", device) }
                add("fix", Text.line(location, isReduced: last?.accuracy == .reduced))
                return
            }
            if last?.isHopeless == true { break }
        }
        explain(last, sky)
    }

    /// Seconds: a compass that is there gives a heading at once.
    private static let compassPatience = 3.0

    /// Requests headings if a source of headings alone is configured, until there is one, or the time is over.
    private mutating func compass(_ options: ConnectionOptions, patience: Double) throws {
        let connection = try options.connect()
        var request = WatchRequest()
        request.location = false
        request.heading = true
        request.purpose = "locctl diagnose"
        try connection.send(LocationInterface.Method.watch, request, more: true)
        var compasses: [RankedSource] = []
        let end = MachineClock.now.advanced(bySeconds: patience)
        while let reply = try connection.nextReply(seconds: end.seconds(since: MachineClock.now)) {
            let update = try reply.answer(as: WatchReply.self)
            compasses = update.status?.compasses ?? compasses
            guard let first = compasses.first else { return }
            if update.heading != nil { return add("compass", "\(first.name) delivers headings") }
        }
        guard let first = compasses.first else { return }
        // A change of its reason alone is not announced.
        let status = try CallerStatus(over: try options.connect()).status
        let reason = status.compasses?.lazy.compactMap(\.reason).first
        fail(
            "compass", "\(first.name): \(reason ?? "no heading came within \(Text.number(patience, 0)) s")",
            advice: reason == nil ? "allow more time with --patience SECONDS" : nil)
    }

    private mutating func explain(_ status: ServiceStatus?, _ sky: [Satellite]?) {
        switch status?.source {
        case .unavailable, .starting:
            fail("source", status?.reason ?? "it does not answer", advice: ReceiverDevices.advice(for: status?.reason))
        case .searching where status?.reason != nil:
            add("source", "it answers")
            fail("device", status?.reason ?? "", advice: ReceiverDevices.advice(for: status?.reason))
        case .lost where status?.reason != nil, .stopped where status?.reason != nil:
            fail("source", status?.reason ?? "", advice: nil)
        case nil, .stopped, .unknown:
            fail("source", "the daemon did not report in time", advice: "allow more time with --patience SECONDS")
        default:
            add("source", "it sends data")
            if status?.accuracy == .reduced { return awaitReduced() }
            explainSky(sky)
        }
    }

    private mutating func explainSky(_ sky: [Satellite]?) {
        guard let sky else {
            return fail("fix", "none yet; the receiver reports no satellites", advice: Self.clearView)
        }
        let signals = sky.compactMap(\.signal)
        let heard = signals.isEmpty ? "" : ", \(signals.count { $0 > 0 }) with a signal"
        let finding = "\(sky.count) in view\(heard)"
        if sky.isEmpty || !signals.isEmpty && signals.allSatisfy({ $0 <= 0 }) {
            return fail("satellites", finding, advice: Self.clearView)
        }
        add("satellites", finding)
        fail("fix", "none yet", advice: Self.clearView)
    }

    /// The daemon reports no satellites to callers with reduced accuracy.
    private mutating func awaitReduced() {
        fail(
            "fix", "none yet; reduced accuracy means \(Text.reduction)",
            advice: "wait, or ask an administrator for full accuracy: `sudo locctl authorize \(PrincipalText.caller)`")
    }
}
