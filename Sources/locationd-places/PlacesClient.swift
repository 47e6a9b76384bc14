import Varlink
import VarlinkServer

/// A connection, who made it and what it waits for.
final class PlacesClient: RegisteredClient {
    let connection: Connection
    let caller: UserLimits.Caller
    /// What its first call is answered, if it is over a limit.
    let refusal: ErrorReply?
    /// The call at hand, unless its answer is at hand too.
    var call: Task<Void, Never>?
    /// Ends the connection over silence.
    var silence: Timers.Cancellation?
    /// Ends the connection over answers that are not read.
    var stall: Timers.Cancellation?

    init(connection: Connection, caller: UserLimits.Caller, refusal: ErrorReply? = nil) {
        self.connection = connection
        self.caller = caller
        self.refusal = refusal
    }

    var uid: UInt32 { caller.uid }

    func stopTimers() {
        silence?()
        stall?()
    }
}
