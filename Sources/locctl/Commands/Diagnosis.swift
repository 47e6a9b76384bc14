import LocationInterface
import LocationKit

/// What was found, from the nearest link to the farthest; it ends at the first that is broken.
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
        do {
            let connection = try options.connect()
            let info = try connection.call("org.varlink.service.GetInfo", as: Info.self)
            add("daemon", "\(info.product) \(info.version) answers at \(options.path)")
            let standing = try CallerStatus(over: connection)
            guard permission(standing) else { return }
            try decisions(over: connection)
            guard isOn(standing.status) else { return }
            try receiver(options, patience: patience)
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

    private mutating func permission(_ standing: CallerStatus) -> Bool {
        let status = standing.status
        let words = PermissionText.words(status.authorization)
        if PermissionText.headline(standing) == nil {
            let pending = status.authorizationPending ? "; your request for more waits for a decision" : ""
            let accuracy = standing.isReduced ? ", with reduced accuracy: \(Text.reduction)" : ""
            add("permission", "you may know the position (\(words))\(accuracy)\(pending)")
            return true
        }
        exitCode = ExitCodes.notAuthorized
        let now = standing.isSuspended ? " now" : ""
        let pending = status.authorizationPending ? ", your request waits for a decision" : ""
        fail(
            "permission",
            "you may not know the position\(now) (\(words))\(pending)" + (status.reason.map { ": \($0)" } ?? ""),
            advice: PermissionText.steps(standing))
        return false
    }

    /// What keeps others out is an administrator's concern, who alone may see it.
    private mutating func decisions(over connection: VarlinkConnection) throws(LocationError) {
        do throws(LocationError) {
            let list = try connection.call(AdminInterface.Method.listAuthorizations, as: AuthorizationList.self)
            for rule in list.inactive { add("policy", "cannot hold here: \(rule)") }
        } catch {
            guard case .refused(AdminInterface.Failure.failed, let reason?) = error else { return }
            fail("decisions", reason, advice: "everybody but root and the daemon's user is refused until then")
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

    mutating func add(_ link: String, _ finding: String) {
        steps.append(Step(link: link, isSound: true, finding: finding))
    }

    mutating func fail(_ link: String, _ finding: String, advice: String?) {
        steps.append(Step(link: link, isSound: false, finding: finding, advice: advice))
    }

    /// - Parameter advice: what can be done, each a way of its own.
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
