import ArgumentParser
import Glibc
import LocationInterface
import LocationKit
import Machine
import Varlink

/// An ordinary user's wish to know.
struct RequestAuthorization: ParsableCommand {
    typealias Parameters = RequestAuthorizationParameters

    static let configuration = CommandConfiguration(
        abstract: "Asks that you may know the position, and waits for an administrator's decision.",
        discussion: """
            The request stays when you stop waiting, for instance by Ctrl-C. Exits with 0 if you may know the position, \
            with 4 if not.
            """)

    @OptionGroup var options: ConnectionOptions

    @Flag(help: "Only while you have an active session on this machine.")
    var whenInUse = false

    @Option(help: "What for; shown to the administrator. At most 256 bytes.")
    var purpose: String?

    @Flag(help: "Tell how things stand and do not wait.")
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
            guard reply.continues else { break }
            Output.write("-- waiting for the decision; Ctrl-C ends that, the request stays", to: STDERR_FILENO)
        }
        guard status?.mayKnow == true else { throw Failure(code: ExitCodes.notAuthorized, message: nil) }
    }
}

extension PermissionText {
    /// One line for the answer to a request.
    static func line(_ status: ServiceStatus) -> String {
        let reason = status.reason.map { ": \($0)" } ?? ""
        let pending = status.authorizationPending ? ", your request waits for a decision" : ""
        guard status.mayKnow else {
            return "you may not know the position (\(words(status.authorization)))\(pending)\(reason)"
        }
        // A reason may be the receiver's as well, which is no concern here.
        let isTimely = status.authorization == .authorizedWhenInUse
        return "you may know the position (\(AuthorizationText.words(status.authorization, status.accuracy)))\(pending)"
            + (isTimely ? reason : "")
    }
}
