@_spi(Programs) import SystemSupport
import Varlink

/// A connection, its user and its pending call.
final class CallingClient: RegisteredClient {
    let connection: Connection
    let caller: UserLimits.Caller
    /// The error that answers its first call, if the client is over a limit.
    let refusal: ErrorReply?
    /// The pending call; `nil` while there is none.
    var call: Task<Void, Never>?
    /// The timer that closes an idle connection.
    var silence: Pause.Cancellation?
    /// The timer that closes a connection whose client does not read its answers.
    var stall: Pause.Cancellation?
    /// Waits until the client can take the next reply of its call.
    var drained: CheckedContinuation<Bool, Never>?
    /// True if the answerer has ended the present call's answer: no more replies are sent but the last.
    var isCutShort = false

    init(connection: Connection, caller: UserLimits.Caller, refusal: ErrorReply? = nil) {
        self.connection = connection
        self.caller = caller
        self.refusal = refusal
    }

    var uid: UInt32 { caller.uid }

    /// The next reply can be sent, or the client has gone.
    func resume(isConnected: Bool) {
        drained?.resume(returning: isConnected)
        drained = nil
    }

    /// The answerer sends no more of the present call's answer.
    func cutShort() {
        isCutShort = true
        resume(isConnected: false)
    }

    func stopTimers() {
        silence?()
        stall?()
    }
}
