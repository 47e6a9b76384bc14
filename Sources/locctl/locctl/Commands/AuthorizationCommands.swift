import ArgumentParser
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit

/// `locctl authorizations`: lists requests for authorization and decisions.
struct AuthorizationsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "authorizations",
        abstract: "Lists pending requests for authorization, and decisions.")

    @OptionGroup var options: ConnectionOptions

    @Flag(help: "Show the records instead, as `locctl audit` does.")
    var audit = false

    func run() throws {
        if audit { return try options.writeAudit(AuditParameters()) }
        let list = try options.administer(AdminInterface.Method.listAuthorizations, as: AuthorizationList.self)
        if options.json { return try Output.writeJSON(list) }
        for line in AuthorizationText.lines(list) { Output.write(line) }
    }
}

/// `locctl authorize`: grants a principal the position.
struct AuthorizeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "authorize",
        abstract: "Grants the position to a user or unit; this persists over restarts.",
        discussion: """
            `locctl authorize me` grants it to your own programs, as far as the policy lets users decide; polkit may ask you to \
            authenticate. A term of full accuracy, as by --full --for 1h, costs more than its time: \(Text.costOfFullAccuracy).
            """)

    @OptionGroup var options: ConnectionOptions
    @OptionGroup var whom: DecisionArgument

    @Flag(help: "Only while the user has an active session on this machine.")
    var whenInUse = false

    @Flag(help: "With reduced accuracy: \(Text.reduction).")
    var reduced = false

    @Flag(help: "With full accuracy; without --when-in-use the level stays what is granted, or was requested.")
    var full = false

    @Option(
        name: .customLong("for"),
        help: .init(
            "Only for so long, such as 90s, 30m, 1h or 2d; then the former decision holds again.", valueName: "term"))
    var term: TermArgument?

    @Option(
        help: .init(
            "Only for the connected program in this process, until it ends or runs another program; not kept.",
            valueName: "pid"))
    var thisTime: Int?

    func validate() throws {
        try refuse([("--reduced", reduced)], with: "--full", if: full)
        if let thisTime, thisTime < 2 { throw ValidationError("--this-time takes the pid of a program") }
        if whom.isCaller, full {
            throw ValidationError("for your own programs full accuracy is granted unless you say --reduced")
        }
    }

    /// What follows the outcome of a decision that grants full accuracy for a while; `nil` for any other.
    var note: String? {
        term == nil || reduced ? nil : "note: \(Text.costOfFullAccuracy)"
    }

    private var answer: SetAuthorizationParameters.Answer {
        if whenInUse { return .authorizedWhenInUse }
        return full ? .unchanged : .authorizedAlways
    }

    func run() throws {
        guard !whom.isCaller else {
            // Whoever decides about one process is logged in, and the policy may allow no more.
            return try options.decideOwn(
                DecideParameters(
                    authorization: whenInUse || thisTime != nil ? .authorizedWhenInUse : .authorizedAlways,
                    accuracy: reduced ? .reduced : .full, duration: term?.seconds, process: thisTime))
        }
        let level =
            switch answer {
            case .unchanged: "authorized"
            case .authorizedWhenInUse: "authorized when in use"
            case .authorizedAlways, .denied: "authorized always"
            }
        try options.decide(
            SetAuthorizationParameters(
                principal: whom.principal, authorization: answer, accuracy: reduced ? .reduced : nil,
                duration: term?.seconds, process: thisTime),
            "is \(level)" + (reduced ? ", with reduced accuracy" : full ? ", with full accuracy" : "")
                + (term.map { ", for \(Text.duration($0.seconds))" } ?? "")
                + (thisTime.map { ", in the process \($0) until that ends" } ?? ""))
        if let note, !options.json { Output.write(note) }
    }
}

/// `locctl deny`: denies a principal the position.
struct DenyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deny",
        abstract: "Denies the position to a user or unit; this persists over restarts. Open watches are notified.")

    @OptionGroup var options: ConnectionOptions
    @OptionGroup var whom: DecisionArgument

    func run() throws {
        guard !whom.isCaller else { return try options.decideOwn(DecideParameters(authorization: .denied)) }
        try options.decide(
            SetAuthorizationParameters(principal: whom.principal, authorization: .denied), "is denied the position")
    }
}

/// `locctl reset-authorization`: forgets the request and the decision about a principal.
struct ResetAuthorizationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset-authorization",
        abstract: "Removes the request and the decision of a user or unit; the policy's default applies again.")

    @OptionGroup var options: ConnectionOptions
    @OptionGroup var whom: PrincipalArgument

    func run() throws {
        try options.change(
            whom.principal, by: AdminInterface.Method.resetAuthorization, PrincipalName(principal: whom.principal),
            "was reset; the policy's default applies")
    }
}

extension ConnectionOptions {
    /// Decides about the caller's own programs.
    fileprivate func decideOwn(_ parameters: DecideParameters) throws {
        do {
            let reply = try withPolkitAgent(wait: ConnectionOptions.diskTimeout) {
                try $0.call(LocationInterface.Method.decide, parameters, as: StatusReply.self)
            }
            if json { return try Output.writeJSON(reply) }
            Output.write(
                (parameters.process.map { "process \($0), until it ends: " } ?? "") + PermissionText.line(reply.status))
        } catch LocationError.refused(AdminInterface.Failure.failed, let reason) {
            throw Failure(code: ExitCodes.failed, message: reason ?? "the daemon gives no reason")
        }
    }

    fileprivate func decide(_ decision: SetAuthorizationParameters, _ outcome: String) throws {
        try change(decision.principal, by: AdminInterface.Method.setAuthorization, decision, outcome)
    }

    /// - Parameter outcome: what then applies to the principal, as the end of a sentence.
    fileprivate func change(
        _ principal: String, by method: String, _ parameters: some Encodable, _ outcome: String
    ) throws {
        do {
            let change = try administer(
                method, parameters, as: AuthorizationChange.self, wait: ConnectionOptions.diskTimeout)
            if json { return try Output.writeJSON(change) }
            Output.write(AuthorizationText.outcome(change, outcome))
        } catch LocationError.refused(AdminInterface.Failure.noSuchPrincipal, _) {
            throw PrincipalText.unknown(principal)
        } catch LocationError.refused(AdminInterface.Failure.failed, let reason) {
            throw Failure(
                code: ExitCodes.failed,
                message: "cannot change \(PrincipalText.words(principal)): " + (reason ?? "the daemon gives no reason"))
        }
    }
}
