import ArgumentParser
import LocationInterface
import LocationKit

/// `locctl authorizations`: lists requests for authorization and decisions.
struct AuthorizationsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "authorizations",
        abstract: "Lists who asked to know the position, who waits for a decision, and what was decided.")

    @OptionGroup var options: ConnectionOptions

    @Flag(help: "What was noted instead, as `locctl history` tells it.")
    var history = false

    func run() throws {
        if history { return try options.writeHistory(GetHistoryParameters()) }
        let list = try options.administer(AdminInterface.Method.listAuthorizations, as: AuthorizationList.self)
        if options.json { return try Output.writeJSON(list) }
        for line in AuthorizationText.lines(list) { Output.write(line) }
    }
}

/// `locctl authorize`: grants a principal the position.
struct AuthorizeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "authorize",
        abstract: "Lets somebody know the position, from now on and over restarts.")

    @OptionGroup var options: ConnectionOptions
    @OptionGroup var whom: PrincipalArgument

    @Flag(help: "Only while the user has an active session on this machine.")
    var whenInUse = false

    @Flag(help: "Not precisely: \(Text.reduction).")
    var reduced = false

    func run() throws {
        try options.decide(
            SetAuthorizationParameters(
                principal: whom.principal, authorization: whenInUse ? .authorizedWhenInUse : .authorizedAlways,
                accuracy: reduced ? .reduced : nil),
            "is \(whenInUse ? "authorized when in use" : "authorized always")"
                + (reduced ? ", with reduced accuracy" : ""))
    }
}

/// `locctl deny`: denies a principal the position.
struct DenyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deny",
        abstract: "Denies somebody the position, from now on and over restarts; open watches are told.")

    @OptionGroup var options: ConnectionOptions
    @OptionGroup var whom: PrincipalArgument

    func run() throws {
        try options.decide(
            SetAuthorizationParameters(principal: whom.principal, authorization: .denied), "is denied the position")
    }
}

/// `locctl reset-authorization`: forgets the request and the decision about a principal.
struct ResetAuthorizationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset-authorization",
        abstract: "Forgets what somebody asked and what was decided; the policy's default holds again.")

    @OptionGroup var options: ConnectionOptions
    @OptionGroup var whom: PrincipalArgument

    func run() throws {
        try options.change(
            whom.principal, by: AdminInterface.Method.resetAuthorization, PrincipalName(principal: whom.principal),
            "is forgotten, the policy's default holds again")
    }
}

extension ConnectionOptions {
    fileprivate func decide(_ decision: SetAuthorizationParameters, _ outcome: String) throws {
        try change(decision.principal, by: AdminInterface.Method.setAuthorization, decision, outcome)
    }

    /// - Parameter outcome: what then applies to the principal, as the end of a sentence.
    fileprivate func change(
        _ principal: String, by method: String, _ parameters: some Encodable, _ outcome: String
    ) throws {
        do {
            let change = try administer(
                method, parameters, as: AuthorizationChange.self, wait: ConnectionOptions.diskPatience)
            if json { return try Output.writeJSON(change) }
            Output.write(AuthorizationText.outcome(change, outcome))
        } catch LocationError.refused(AdminInterface.Failure.noSuchPrincipal, _) {
            throw PrincipalText.unknown(principal)
        } catch LocationError.refused(AdminInterface.Failure.failed, let reason) {
            throw Failure(
                code: ExitCodes.failed,
                message: "about \(PrincipalText.words(principal)): " + (reason ?? "the daemon gives no reason"))
        }
    }
}
