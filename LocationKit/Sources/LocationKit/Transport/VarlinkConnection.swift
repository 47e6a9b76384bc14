@_spi(Programs) import LocationModel
@_spi(Programs) public import SystemSupport
public import Varlink

/// A blocking Varlink connection for one thread, with one call at a time.
@_spi(Programs) public final class VarlinkConnection {
    /// The largest message accepted from a daemon; a report of 184 satellites is far smaller.
    static let replyLimit = 4 << 20

    private let stream: UnixStream
    private let waker: Waker
    private let path: String
    private let patience: Double
    /// Called once a call has had no reply for so long.
    private var silence: (seconds: Double, report: () -> Void)?
    /// When the call was sent that has had no reply yet.
    private var sent: BootInstant?
    private let encoder = MessageEncoder()
    private var buffer = MessageBuffer(limit: replyLimit)
    private let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

    /// - Parameters:
    ///   - waker: ends waiting, with `nil`, when any thread wakes it.
    ///   - seconds: how long to wait while the daemon's queue of connections is full; `patience` if that is less.
    ///   - patience: seconds that the first reply to a call may take: systemd accepts connections for a daemon that
    ///     cannot start.
    /// - Throws: `daemonNotRunning`, or `cancelled` if woken.
    @_spi(Programs) public init(
        path: String, waker: Waker, seconds: Double = .infinity, patience: Double = .infinity
    ) throws(LocationError) {
        stream = try UnixStream.connect(to: path, waker: waker, seconds: min(seconds, patience))
        self.waker = waker
        self.path = path
        self.patience = patience
    }

    /// Calls `report`, once, when a call has had no reply for so many seconds.
    @_spi(Programs) public func onSilence(after seconds: Double, _ report: @escaping () -> Void) {
        silence = (seconds, report)
    }

    deinit {
        input.deallocate()
    }

    /// Sends a call; its replies are read by ``nextReply(seconds:)`` until one does not continue.
    @_spi(Programs) public func send(
        _ method: String, _ parameters: some Encodable, more: Bool = false, oneway: Bool = false
    ) throws(LocationError) {
        let bytes: [UInt8]
        do {
            bytes = try encoder.call(method, parameters, more: more, oneway: oneway)
        } catch {
            throw .invalidParameter("a number", reason: "it has to be finite")
        }
        sent = MachineClock.now
        try stream.send(bytes, waker: waker)
    }

    /// The next reply; an error reply is returned, not thrown.
    ///
    /// - Parameter seconds: how long to wait for a reply.
    /// - Returns: `nil` if woken, or after that time.
    /// - Throws: `disconnected`, `protocolViolation` if the message is no reply, or `daemonNotRunning` if none comes.
    @_spi(Programs) public func nextReply(seconds: Double = .infinity) throws(LocationError) -> Reply? {
        let start = MachineClock.now
        while true {
            if let message = buffer.next() {
                sent = nil
                do { return try Reply(message) } catch { throw .protocolViolation(explain(error)) }
            }
            guard !buffer.isOverfull else { throw .protocolViolation("a message beyond 4 MiB") }
            let now = MachineClock.now
            let waited = sent.map { now.seconds(since: $0) } ?? 0
            // Between two replies of a call nothing has to be looked after: a client that waits does not wake up.
            let rest = sent == nil ? .infinity : patience - waited
            guard rest > 0 else {
                throw .daemonNotRunning(path: path, reason: "no answer; `journalctl -u locationd` may have the cause")
            }
            // What has arrived is read even if there is no time to wait.
            let left = max(0, seconds - now.seconds(since: start))
            let untilSilenceReport = sent == nil ? .infinity : (silence?.seconds ?? .infinity) - waited
            if untilSilenceReport <= 0 {
                silence?.report()
                silence = nil
                continue
            }
            switch stream.receive(into: input, waker: waker, seconds: min(left, rest, untilSilenceReport, 3600)) {
            case .bytes(let count): buffer.append(UnsafeRawBufferPointer(rebasing: input[..<count]))
            case .end: throw .disconnected
            case .woken: return nil
            case .timedOut where left == 0: return nil
            case .timedOut: continue
            }
        }
    }

    /// Calls a method that has one reply.
    ///
    /// - Throws: the error that the daemon returned, or why there is no reply.
    @_spi(Programs) public func call<Answer: Decodable>(
        _ method: String, _ parameters: some Encodable = NoParameters(), as type: Answer.Type = NoParameters.self,
        seconds: Double = .infinity
    ) throws(LocationError) -> Answer {
        try send(method, parameters)
        guard let reply = try nextReply(seconds: seconds) else {
            throw waker.isWoken ? .cancelled : .timedOut(best: nil)
        }
        return try reply.answer()
    }
}

extension Reply {
    /// The parameters of a reply that is not an error.
    @_spi(Programs) public func answer<Answer: Decodable>(as type: Answer.Type = Answer.self) throws(LocationError)
        -> Answer
    {
        if let error { throw LocationError(name: error, reply: self) }
        do { return try parameters() } catch { throw .protocolViolation(explain(error)) }
    }
}
