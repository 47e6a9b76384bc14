import ArgumentParser
import Glibc
import LocationInterface
import LocationKit
import SystemSupport
import Varlink

/// An ordinary user's wish to know.
struct RequestAuthorization: ParsableCommand {
    typealias Parameters = RequestAuthorizationParameters

    static let configuration = CommandConfiguration(
        abstract: "Asks that you may know the position, and waits for an administrator's decision.",
        discussion: """
            The request stays when you stop waiting, for instance by Ctrl-C. Exits with 0 if you may know the position, \
            with 4 if not, with 3 if the service ends before the decision.
            """)

    @OptionGroup var options: ConnectionOptions

    @Flag(help: "Only while you have an active session on this machine.")
    var whenInUse = false

    @Option(help: "What for; shown to the administrator. At most 256 bytes.")
    var purpose: String?

    @Flag(help: "Ask, tell how things stand, and do not wait.")
    var noWait = false

    func run() throws {
        try Interruption.heeded { try ask(until: $0) }
    }

    private func ask(until waker: Waker) throws {
        let connection = try options.connect(waker: waker)
        let parameters = Parameters(level: whenInUse ? .whenInUse : .always, purpose: purpose)
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
                // Who waits is told the last word early only by a service that ends.
                guard noWait || answer.status.mayKnow || !answer.status.authorizationPending else {
                    throw Failure(
                        code: ExitCodes.daemonNotReachable, message: "the service ended; the request stays")
                }
                break
            }
            Output.write("-- waiting for the decision; Ctrl-C ends that, the request stays", to: STDERR_FILENO)
        }
        if !options.json, status?.mayKnow == true {
            if let standing = try? Standing(over: options.connect(waker: waker)), standing.isSuspended {
                Output.write("but not now: \(standing.status.reason ?? "no reason is given")")
            }
        }
        guard status?.mayKnow == true else { throw Failure(code: ExitCodes.notAuthorized, message: nil) }
    }
}

extension PermissionText {
    /// One line for the answer to a request.
    static func line(_ status: ServiceStatus) -> String {
        guard status.mayKnow else {
            let pending = status.authorizationPending ? ", your request waits for a decision" : ""
            return "you may not know the position (\(words(status.authorization)))\(pending)"
                + (status.reason.map { ": \($0)" } ?? "")
        }
        // The reason may be the receiver's, which is no concern here.
        let pending = status.authorizationPending ? ", your request for more waits for a decision" : ""
        return "you may know the position (\(AuthorizationText.words(status.authorization, status.accuracy)))\(pending)"
    }
}
