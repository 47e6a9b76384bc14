import LocationInterface
import LocationKit
import Machine
import Varlink

/// What was found, from the nearest link to the farthest; it ends at the first that is broken.
struct Diagnosis: Encodable {
    struct Step: Encodable {
        let link: String
        let isSound: Bool
        let finding: String
        var advice: String?

        var line: String {
            "[\(isSound ? "ok" : "!!")] \(link)\(String(repeating: " ", count: max(1, 12 - link.count)))\(finding)"
                + (advice.map { "\n                 -> \($0)" } ?? "")
        }
    }

    private(set) var steps: [Step] = []
    private(set) var exitCode = ExitCodes.failed

    private enum CodingKeys: String, CodingKey { case steps }

    var isSound: Bool { steps.allSatisfy(\.isSound) }

    mutating func examine(_ options: ConnectionOptions, patience: Double) {
        do {
            let connection = try options.connect()
            let info = try connection.call("org.varlink.service.GetInfo", as: Info.self)
            add("daemon", "\(info.product) \(info.version) answers at \(options.path)")
            let status = try connection.call(LocationInterface.Method.getStatus, as: StatusReply.self).status
            guard permission(status), isOn(status) else { return }
            try receiver(options, patience: patience)
        } catch let error as LocationError {
            exitCode = error.exitCode
            fail(error.link, "\(error)", advice: nil)
        } catch {
            fail("daemon", "\(error)", advice: nil)
        }
    }

    private struct Info: Decodable { let product, version: String }

    private mutating func permission(_ status: ServiceStatus) -> Bool {
        if status.mayKnow {
            add(
                "permission",
                "you may know the position (\(status.authorization.rawValue), \(status.accuracy.rawValue))")
        } else {
            exitCode = ExitCodes.notAuthorized
            fail(
                "permission", "you may not know the position (\(status.authorization.rawValue))",
                advice: "an administrator can add you: `adduser USER locationd`; it takes effect at the next login")
        }
        return status.mayKnow
    }

    private mutating func isOn(_ status: ServiceStatus) -> Bool {
        exitCode = ExitCodes.noLocation
        if status.enabled {
            add("switch", "the service is switched on")
        } else {
            fail("switch", "the service is switched off", advice: "`locctl start`")
        }
        return status.enabled
    }

    /// Asks for locations and follows what happens until there is one, or the patience is over.
    private mutating func receiver(_ options: ConnectionOptions, patience: Double) throws {
        let connection = try options.connect()
        var request = WatchParameters()
        request.satellites = true
        request.purpose = "locctl diagnose"
        try connection.send(LocationInterface.Method.watch, request, more: true)
        var last: ServiceStatus?
        var sky: [Satellite]?
        let end = MachineClock.now.advanced(bySeconds: patience)
        while let reply = try connection.nextReply(seconds: end.seconds(since: MachineClock.now)) {
            let update = try reply.answer(as: WatchReply.self)
            last = update.status ?? last
            sky = update.satellites ?? sky
            if let location = update.location {
                add(
                    "source",
                    "\(location.value.source.name) delivers"
                        + (location.value.source.device.map { " from \($0)" } ?? ""))
                add("fix", "\(Text.line(location.value))")
                return
            }
            if last?.source == .unavailable { break }
        }
        explain(last, sky)
    }

    private mutating func explain(_ status: ServiceStatus?, _ sky: [Satellite]?) {
        switch status?.source {
        case .unavailable, .starting:
            fail("source", status?.reason ?? "it does not answer", advice: Hardware.advice)
        case .searching where status?.reason != nil:
            fail("source", status?.reason ?? "", advice: Hardware.advice)
        case .lost where status?.reason != nil:
            fail("source", status?.reason ?? "", advice: nil)
        case nil, .stopped, .unknown:
            fail("source", "the daemon told nothing in time", advice: "give it more by --patience SECONDS")
        default:
            add("source", "it can be heard")
            let heard = sky.map { sky in
                "\(sky.count) satellites in view, \(sky.count { ($0.signal ?? 0) > 0 }) of them heard"
            }
            fail(
                "fix", "none yet; \(heard ?? "the receiver tells nothing of satellites")",
                advice: "give the antenna a clear view of the sky; a cold receiver needs up to a minute, some ten")
        }
    }

    private mutating func add(_ link: String, _ finding: String) {
        steps.append(Step(link: link, isSound: true, finding: finding))
    }

    private mutating func fail(_ link: String, _ finding: String, advice: String?) {
        steps.append(Step(link: link, isSound: false, finding: finding, advice: advice))
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
