/// The server's side of one connection, without I/O: calls are answered one at a time and in order.
///
/// Received bytes are passed to ``receive(_:)``, and ``next()`` returns the calls; while one is being answered the
/// following ones wait, bounded by the request limit. A violation of the protocol is returned once, and nothing after
/// it.
public struct ServerSession {
    /// What there is to answer.
    public enum Input {
        /// Answer this call, then invoke ``finishCall()``.
        case call(Call)
        /// Send this error, then close.
        case violation(ErrorReply)
    }

    private enum State {
        case idle
        case answering(isOneway: Bool)
        case broken

        var isBroken: Bool {
            if case .broken = self { true } else { false }
        }
    }

    private var buffer: MessageBuffer
    private var state = State.idle

    /// - Parameter requestLimit: the most bytes of one request, or of all requests that wait.
    public init(requestLimit: Int) {
        buffer = MessageBuffer(limit: requestLimit)
    }

    /// True while a call is being answered.
    public var isAnswering: Bool {
        if case .answering = state { true } else { false }
    }

    /// True while a call is being answered that wants no reply.
    public var isOneway: Bool {
        if case .answering(let isOneway) = state { isOneway } else { false }
    }

    /// The most bytes of one request, or of all requests that wait.
    public var requestLimit: Int {
        get { buffer.limit }
        set { buffer.limit = newValue }
    }

    /// True if the waiting requests exceed the limit.
    public var isOverfull: Bool { !state.isBroken && buffer.isOverfull }

    /// Whether ``next()`` has something to return. This searches for the end of the message, but does not decode it.
    public mutating func hasInput() -> Bool {
        switch state {
        case .broken: false
        case .answering: buffer.isOverfull
        case .idle: buffer.hasMessage() || buffer.isOverfull
        }
    }

    /// Adds bytes that have arrived. After a violation they are ignored.
    public mutating func receive(_ bytes: some Collection<UInt8>) {
        guard !state.isBroken else { return }
        buffer.append(bytes)
    }

    /// The next input to handle; `nil` means wait for bytes, or for the present call to finish.
    public mutating func next() -> Input? {
        switch state {
        case .broken: return nil
        case .answering: return buffer.isOverfull ? violation() : nil
        case .idle: break
        }
        guard let message = buffer.next() else { return buffer.isOverfull ? violation() : nil }
        guard message.count <= buffer.limit else { return violation() }
        do throws(ErrorReply) {
            let call = try Call(message)
            state = .answering(isOneway: call.oneway)
            return .call(call)
        } catch {
            state = .broken
            return .violation(error)
        }
    }

    /// The input to handle while the client reads slowly and no call is served: a violation if the limit is exceeded,
    /// else `nil`.
    public mutating func overflow() -> Input? {
        isOverfull ? violation() : nil
    }

    /// The present call has had its last reply, or needs none.
    public mutating func finishCall() {
        if isAnswering { state = .idle }
    }

    private mutating func violation() -> Input {
        state = .broken
        return .violation(.invalidRequest("at most \(buffer.limit) bytes of requests may wait; send fewer or smaller"))
    }
}
