/// The server's side of one connection, without the connection: calls are answered one at a time and in order.
///
/// Bytes go in by ``receive(_:)``, calls come out of ``next()``; while one is being answered the following ones wait,
/// bounded by the request limit. What breaks the protocol comes out once as a violation, and nothing after it.
package struct ServerSession {
    package enum Input {
        /// Answer this, then say ``finishCall()``.
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

    /// - Parameter requestLimit: the most bytes a request, or the requests that wait, may have.
    package init(requestLimit: Int) {
        buffer = MessageBuffer(limit: requestLimit)
    }

    /// True while a call is being answered.
    package var isAnswering: Bool { state == .answering }

    /// The most bytes a request, or the requests that wait, may have.
    package var requestLimit: Int {
        get { buffer.limit }
        set { buffer.limit = newValue }
    }

    /// True if more waits than may.
    package var isOverfull: Bool { state != .broken && buffer.isOverfull }

    /// Whether ``next()`` has something to return. To ask costs a search for the end of the message, not its decoding.
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

    /// What to do now; `nil` means wait for bytes, or for the call at hand to finish.
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

    /// What to do while the client is slow to read and no call is served: nothing, unless too much waits.
    package mutating func overflow() -> Input? {
        isOverfull ? violation() : nil
    }

    /// The call at hand has had its last reply, or none is wanted.
    package mutating func finishCall() {
        if state == .answering { state = .idle }
    }

    private mutating func violation() -> Input {
        state = .broken
        return .violation(.invalidRequest("at most \(buffer.limit) bytes of requests may wait; send fewer or smaller"))
    }
}
