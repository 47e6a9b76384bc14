package import Varlink

/// A connection that speaks Varlink without ever waiting, on the client thread.
package final class ClientConnection {
    package enum Input {
        case reply(Reply)
        /// The last thing that is told: the peer's end or its violation of the protocol; not after ``close()``.
        case ended(LocationError)
    }

    /// Sends a call; the replies come in the order of the calls.
    ///
    /// - Throws: `invalidParameter` if a number is not finite.
    package func send(
        _ method: String, _ parameters: some Encodable, more: Bool = false
    ) throws(LocationError) {}

    /// Ends the connection; nothing is told any more.
    package func close() {}
}
