/// The server's side of one connection, without I/O: calls are answered one at a time and in order.
///
/// Received bytes are passed to ``receive(_:)``, and ``next()`` returns the calls; while one is being answered the
/// following ones wait, bounded by the request limit. A violation of the protocol is returned once, and nothing after
/// it.
package struct ServerSession {
    package enum Input {
        /// Answer this call, then invoke ``finishCall()``.
        case call(Call)
        /// Send this error, then close.
        case violation(ErrorReply)
    }

    private enum State {
        case idle
        case answering
        case broken
    }

    private var buffer: MessageBuffer
    private var state = State.idle

    /// - Parameter requestLimit: the most bytes of one request, or of all requests that wait.
    package init(requestLimit: Int) {
        buffer = MessageBuffer(limit: requestLimit)
    }

    /// True while a call is being answered.
    package var isAnswering: Bool { state == .answering }

    /// The most bytes of one request, or of all requests that wait.
    package var requestLimit: Int {
        get { buffer.limit }
        set { buffer.limit = newValue }
    }

    /// True if the waiting requests exceed the limit.
    package var isOverfull: Bool { state != .broken && buffer.isOverfull }

    /// Whether ``next()`` has something to return. This searches for the end of the message, but does not decode it.
    package mutating func hasInput() -> Bool {
        switch state {
        case .broken: false
        case .answering: buffer.isOverfull
        case .idle: buffer.hasMessage() || buffer.isOverfull
        }
    }

    package mutating func receive(_ bytes: some Collection<UInt8>) {
        guard state != .broken else { return }
        buffer.append(bytes)
    }

    /// The next input to handle; `nil` means wait for bytes, or for the present call to finish.
    package mutating func next() -> Input? {
        switch state {
        case .broken: return nil
        case .answering: return buffer.isOverfull ? violation() : nil
        case .idle: break
        }
        guard let message = buffer.next() else { return buffer.isOverfull ? violation() : nil }
        guard message.count <= buffer.limit else { return violation() }
        do throws(ErrorReply) {
            let call = try Call(message)
            state = .answering
            return .call(call)
        } catch {
            state = .broken
            return .violation(error)
        }
    }

    /// The input to handle while the client reads slowly and no call is served: a violation if the limit is exceeded,
    /// else `nil`.
    package mutating func overflow() -> Input? {
        isOverfull ? violation() : nil
    }

    /// The present call has had its last reply, or needs none.
    package mutating func finishCall() {
        if state == .answering { state = .idle }
    }

    private mutating func violation() -> Input {
        state = .broken
        return .violation(.invalidRequest("at most \(buffer.limit) bytes of requests may wait; send fewer or smaller"))
    }
}
