import ArgumentParser
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import Varlink

/// `locctl diagnose`: checks the chain from the receiver to the caller, link by link.
struct DiagnoseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diagnose",
        abstract: "Checks the chain from the receiver to you, and says what to do if a link is broken.",
        discussion: """
            [ok] is a link that works, [!!] a broken one, and [--] one that works no further at present: a source that is \
            switched off, a request that nobody has decided about.
            """)

    @OptionGroup var options: ConnectionOptions

    @Option(help: ArgumentHelp("Wait so long for a fix.", valueName: "seconds"))
    var patience: NumberArgument = 15.0

    func validate() throws {
        guard patience.value.isFinite, patience.value > 0 else {
            throw ValidationError("--patience is more than 0 seconds")
        }
    }

    func run() throws {
        var diagnosis = Diagnosis()
        diagnosis.examine(options, patience: patience.value)
        if options.json {
            try Output.writeJSON(diagnosis)
        } else {
            for line in diagnosis.lines { Output.write(line) }
        }
        if !diagnosis.isSound { throw Failure(code: diagnosis.exitCode, message: nil) }
    }
}

/// The findings, from the nearest link to the farthest, up to the first broken one that hides those behind it.
struct Diagnosis: Encodable {
    struct Step: Encodable {
        let link: String
        let isSound: Bool
        /// True if the link is not broken and yet does not work at present, or something is to be decided; else `nil`.
        var isOpen: Bool?
        let finding: String
        var advice: String?

        var lines: [String] {
            let gap = String(repeating: " ", count: max(1, 12 - link.count))
            let mark = isSound ? isOpen == true ? "--" : "ok" : "!!"
            return ["[\(mark)] \(link)\(gap)\(finding)"] + (advice.map { ["                 -> \($0)"] } ?? [])
        }
    }

    private(set) var steps: [Step] = []
    private(set) var exitCode = ExitCodes.failed

    private enum CodingKeys: String, CodingKey { case steps }

    var isSound: Bool { steps.allSatisfy(\.isSound) }

    /// The steps, and if none is broken how it all stands.
    var lines: [String] {
        let isOpen = steps.contains { $0.isOpen == true }
        let conclusion = isOpen ? "Nothing is broken; see the lines with [--]." : "Everything works."
        return steps.flatMap(\.lines) + (isSound ? [conclusion] : [])
    }

    mutating func examine(_ options: ConnectionOptions, patience: Double) {
        examineChain(options, patience: patience)
        if isSound { exitCode = ExitCodes.failed }
        if let off = DesktopSwitch.off { note("desktop", off.finding, advice: off.advice) }
        services()
    }

    private mutating func examineChain(_ options: ConnectionOptions, patience: Double) {
        do {
            let connection = try options.connect()
            let info = try connection.call("org.varlink.service.GetInfo", as: Info.self)
            add("daemon", "\(info.product) \(info.version) answers at \(options.path)")
            let callerStatus = try CallerStatus(over: connection)
            let mayKnow = permission(callerStatus)
            let statistics = Self.statistics(over: connection)
            // Whoever is neither authorized nor an administrator can know no other link.
            guard mayKnow || statistics != nil else { return }
            try decisions(over: connection)
            programs(over: connection)
            guard isOn(callerStatus.status) else { return }
            if let statistics { battery(statistics) }
            if mayKnow {
                exitCode = ExitCodes.noLocation
                let hasFix = try receiver(options, patience: patience)
                try compass(options, patience: min(patience, Self.compassPatience))
                // There is a location, whatever else is broken.
                if hasFix { exitCode = ExitCodes.failed }
            } else if let statistics {
                sources(statistics)
            }
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
            let isPending = status.authorizationPending || status.fullAccuracyPending == true
            let level = status.authorizationPending ? "; your request for a higher level is pending" : ""
            let full = status.fullAccuracyPending == true ? "; your request for full accuracy is pending" : ""
            let accuracy = callerStatus.isReduced ? ", with reduced accuracy: \(Text.reduction)" : ""
            let finding = "you may know the position (\(words))\(accuracy)\(level)\(full)"
            isPending ? note("permission", finding) : add("permission", finding)
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

    private mutating func isOn(_ status: ServiceStatus) -> Bool {
        if status.enabled {
            add("switch", "the service is switched on")
        } else {
            if isSound { exitCode = ExitCodes.noLocation }
            fail("switch", "the service is switched off", advice: "an administrator runs `sudo locctl start`")
        }
        return status.enabled
    }

    mutating func add(_ link: String, _ finding: String, advice: String? = nil) {
        steps.append(Step(link: link, isSound: true, finding: finding, advice: advice))
    }

    /// A link that is not broken, and of which more is to be said than that it works.
    mutating func note(_ link: String, _ finding: String, advice: String? = nil) {
        steps.append(Step(link: link, isSound: true, isOpen: true, finding: finding, advice: advice))
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
