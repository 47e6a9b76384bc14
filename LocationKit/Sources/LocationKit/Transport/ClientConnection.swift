import Glibc
@_spi(Programs) import LocationModel
@_spi(Programs) import SystemSupport
public import Varlink

/// A non-blocking Varlink connection on the client thread.
///
/// Calls that the kernel does not accept yet are buffered here. Each turn reads at most 64 KiB, so that a daemon that
/// sends without end does not block other connections.
@_spi(Programs) public final class ClientConnection {
    @_spi(Programs) public enum Input {
        case reply(Reply)
        /// The last input: the peer has closed, or has violated the protocol. Not after ``close()``.
        case ended(LocationError)
    }

    /// Seconds for which connecting is retried while the daemon's queue is full.
    private static let timeout = 10.0

    private let path: String
    /// `nil` once closed.
    private var stream: UnixStream?
    private var receive: ((Input) -> Void)?
    private var isConnected = false
    private var unsent: [UInt8] = []
    private var buffer = MessageBuffer(limit: VarlinkConnection.replyLimit)
    private let encoder = MessageEncoder()

    init(_ stream: consuming UnixStream, receive: @escaping (Input) -> Void) {
        path = stream.path
        self.stream = consume stream
        self.receive = receive
    }

    var isOpen: Bool { receive != nil }

    /// The events to poll for.
    var interest: pollfd {
        let events = isConnected ? POLLIN | (unsent.isEmpty ? 0 : POLLOUT) : 0
        return pollfd(fd: isConnected ? stream?.descriptor ?? -1 : -1, events: Int16(events), revents: 0)
    }

    /// Starts connecting, which takes as long as the daemon's queue is full.
    func connect(_ loop: ClientLoop) throws(LocationError) {
        isConnected = try stream?.connect() == true
        if !isConnected { retryConnecting(loop, from: loop.now) }
    }

    private func retryConnecting(_ loop: ClientLoop, from start: BootInstant) {
        _ = loop.schedule(at: loop.now.advanced(bySeconds: UnixStream.pause)) { [weak self] loop in
            guard let self, isOpen else { return }
            do throws(LocationError) {
                if try stream?.connect() == true {
                    isConnected = true
                    flush()
                } else if loop.now.seconds(since: start) < Self.timeout {
                    retryConnecting(loop, from: start)
                } else {
                    finish(.busy(at: path))
                }
            } catch {
                finish(error)
            }
        }
    }

    /// Sends a call; the replies come in the order of the calls.
    ///
    /// - Throws: `invalidParameter` if a number is not finite.
    @_spi(Programs) public func send(
        _ method: String, _ parameters: some Encodable, more: Bool = false
    ) throws(LocationError) {
        do {
            unsent += try encoder.call(method, parameters, more: more)
        } catch {
            throw .invalidParameter("a number", reason: "it has to be finite")
        }
        if isConnected { flush() }
    }

    /// Closes the connection; `receive` is not called any more.
    @_spi(Programs) public func close() {
        receive = nil
        stream = nil
    }

    func handleEvents(_ events: Int16, _ input: UnsafeMutableRawBufferPointer) {
        if Int32(events) & POLLOUT != 0 { flush() }
        guard Int32(events) & ~POLLOUT != 0 else { return }
        switch stream?.receive(into: input) {
        case .bytes(let count):
            buffer.append(UnsafeRawBufferPointer(rebasing: input[..<count]))
            deliver()
        case .end: finish(.disconnected)
        case .nothingNow, nil: break
        }
    }

    private func flush() {
        while !unsent.isEmpty {
            switch stream?.send(unsent[...]) {
            case .bytes(let count): unsent.removeFirst(count)
            // The daemon's last reply, and then its end, may still be there to be read.
            case .end, nil: unsent = []
            case .nothingNow: return
            }
        }
    }

    /// Any callback may close this connection.
    private func deliver() {
        while isOpen, let message = buffer.next() {
            do { receive?(.reply(try Reply(message))) } catch { return finish(.protocolViolation(explain(error))) }
        }
        if isOpen, buffer.isOverfull { finish(.protocolViolation("a message beyond 4 MiB")) }
    }

    private func finish(_ error: LocationError) {
        let receive = receive
        close()
        receive?(.ended(error))
    }
}
