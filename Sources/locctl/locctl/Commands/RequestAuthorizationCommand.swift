import ArgumentParser
import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import SystemSupport
import Varlink

/// `locctl request-authorization`: requests the position for the caller.
struct RequestAuthorizationCommand: ParsableCommand {
    typealias Parameters = RequestAuthorizationParameters

    static let configuration = CommandConfiguration(
        commandName: "request-authorization",
        abstract: "Requests the permission to know the position, and waits for an administrator's decision.",
        discussion: """
            The request stays pending when you stop waiting, for instance with Ctrl-C. Exits with 0 if you may know the position, \
            with full accuracy if you asked for that, with 4 if not, with 3 if the service ends before the decision.
            """)

    @OptionGroup var options: ConnectionOptions

    @Flag(help: "Only while you have an active session on this machine.")
    var whenInUse = false

    @Flag(
        help:
            "With full accuracy, which may be granted for a while; if you have reduced accuracy, this is decided anew.")
    var full = false

    @Option(help: ArgumentHelp("The purpose, shown to the administrator. At most 256 bytes.", valueName: "text"))
    var purpose: String?

    @Flag(help: "Send the request, print the status, and do not wait.")
    var noWait = false

    func run() throws {
        try Interruption.withWaker { try request(until: $0) }
    }

    private func request(until waker: Waker) throws {
        let connection = try options.connect(waker: waker)
        let parameters = Parameters(
            level: whenInUse ? .whenInUse : .always, purpose: purpose, fullAccuracy: full, program: "locctl")
        try connection.send(LocationInterface.Method.requestAuthorization, parameters, more: !noWait)
        var status: ServiceStatus?
        while let reply = try connection.nextReply() {
            let answer = try reply.answer(as: StatusReply.self)
            status = answer.status
            if options.json {
                try Output.writeJSON(answer)
            } else {
                Output.write(PermissionText.line(answer.status))
            }
            guard reply.continues else {
                // If the last reply to a waiting call has no decision, the service is shutting down.
                guard noWait || !isPending(answer.status) else {
                    throw Failure(
                        code: ExitCodes.daemonNotReachable, message: "the service has ended; the request stays pending")
                }
                break
            }
            let place = placeOfDecision(waker)
            Output.write(
                "-- waiting for the decision\(place); after Ctrl-C the request stays pending", to: STDERR_FILENO)
        }
        if !options.json, status?.mayKnow == true {
            if let callerStatus = try? CallerStatus(over: options.connect(waker: waker)), callerStatus.isSuspended {
                Output.write("but not now: \(callerStatus.status.reason ?? "no reason is given")")
            }
        }
        guard let status, status.mayKnow, !full || status.accuracy == .full else {
            throw Failure(code: ExitCodes.notAuthorized, message: nil)
        }
    }

    /// Where the question is answered, as the rest of a sentence.
    private func placeOfDecision(_ waker: Waker) -> String {
        let reply = try? options.connect(waker: waker).call(
            LocationInterface.Method.watchRequests, as: RequestsReply.self)
        guard let reply, let ceiling = reply.ceiling else {
            return " of an administrator, `sudo locctl authorizations`"
        }
        if reply.followed == true { return ", which a notification on your screen asks for" }
        return ", yours by `\(ceiling.command(forEver: !whenInUse))` or an administrator's"
    }

    /// True if what was requested is still to be decided.
    private func isPending(_ status: ServiceStatus) -> Bool {
        if full, status.fullAccuracyPending == true { return true }
        return !status.mayKnow && status.authorizationPending
    }
}

extension PermissionText {
    /// One line for the answer to a request.
    static func line(_ status: ServiceStatus) -> String {
        guard status.mayKnow else {
            let pending = status.authorizationPending ? ", your request is pending" : ""
            return "you may not know the position (\(words(status.authorization)))\(pending)"
                + (status.reason.map { ": \($0)" } ?? "")
        }
        // The reason may concern the receiver, which does not matter here.
        var words = "you may know the position (\(AuthorizationText.words(status.authorization, status.accuracy)))"
        if let rest = status.authorizationRemaining { words += " for another \(Text.duration(rest))" }
        if status.authorizationPending { words += ", your request for a higher level is pending" }
        if status.fullAccuracyPending == true { words += ", your request for full accuracy is pending" }
        return words
    }
}
