import Glibc
package import NIOCore
package import Varlink

/// One client's connection. It never waits for slow readers: what the kernel does not accept at once goes through the
/// channel, one message at a time, and the owner is informed when everything is sent.
///
/// Ownership: everything belongs to the channel's event loop. The descriptor is NIO's. It is used for sending only, and
/// only while the channel is active and has nothing queued, so that writes never interleave. A ``DirectSendTable`` may
/// hold it for as long as that is true.
package final class Connection {
    package enum Sent {
        /// The kernel has accepted all of it.
        case whole
        /// A part of it is queued in the channel; ``ConnectionOwner/connectionDrained(_:)`` follows.
        case partly
        /// Nothing was sent, because the connection is ending.
        case nothing
    }

    /// The input that the client may send.
    package enum Input: Sendable {
        case calls
        /// Input is discarded; too much of it ends the connection.
        case nothing
    }

    package let channel: any Channel
    package weak var owner: (any ConnectionOwner)?
    private let descriptor: Int32
    private let sendNow: SendNow
    private let unreadNow: UnreadNow
    private let input: Input
    private let encoder: MessageEncoder
    private var session: ServerSession
    private var state = State.open(.free)
    private var reading = Reading.on
    /// Writes that the channel has not passed on to the kernel yet.
    private var queued = 0 { didSet { if queued > 0 { disableDirectSend() } } }
    /// Bytes of input that were discarded.
    private var discarded = 0
    private var schedule: (scheduler: CallScheduler, uid: UInt32)?
    private var directSend: (table: DirectSendTable, place: Int)?

    private enum State {
        case open(Turn)
        /// Nothing more is sent, and input is discarded. It begins at the latest when the channel becomes inactive, so
        /// the descriptor is not used after that.
        case closing
    }

    /// When the next call is served.
    private enum Turn {
        /// As soon as it is there.
        case free
        /// Calls are being served, by a function that goes on when it returns there.
        case serving
        /// When it is its user's turn.
        case queued
        /// After a pause.
        case paused
    }

    private enum Reading {
        case on
        /// Input stays in the kernel, so a client that keeps sending has to wait.
        case off
        /// The client has ended its output: the connection ends when the calls it has sent are answered.
        case ended
    }

    /// - Parameter descriptor: -1 if the channel has none; everything then goes through the channel.
    package init(
        channel: any Channel, descriptor: Int32, sendNow: @escaping SendNow = offer,
        unreadNow: @escaping UnreadNow = ServiceServer.unread, input: Input = .calls, requestLimit: Int,
        encoder: MessageEncoder
    ) {
        self.channel = channel
        self.descriptor = descriptor
        self.sendNow = sendNow
        self.unreadNow = unreadNow
        self.input = input
        self.encoder = encoder
        session = ServerSession(requestLimit: requestLimit)
    }

    /// The maximum size of a request, and of all requests that wait, bytes.
    package var requestLimit: Int {
        get { session.requestLimit }
        set { session.requestLimit = newValue }
    }

    /// Makes calls wait for their user's turn under load; without this call none waits.
    package func scheduleCalls(by scheduler: CallScheduler, as uid: UInt32) {
        schedule = (scheduler, uid)
    }

    private var isClosing: Bool {
        if case .closing = state { true } else { false }
    }

    private var turn: Turn? {
        if case .open(let turn) = state { turn } else { nil }
    }

    /// True while sent bytes wait for the client to read.
    package var isBehind: Bool { queued > 0 }

    /// The bytes that were sent and are not read, in the kernel and in the channel. While the client is behind, this
    /// falls with each read of the client.
    package var unread: Int {
        guard !isClosing else { return 0 }
        let waiting = try? channel.syncOptions?.getOption(.bufferedWritableBytes)
        return (descriptor >= 0 ? unreadNow(descriptor) : 0) + (waiting ?? 0)
    }

    // MARK: Replies

    /// Answers the present call; the answer is final unless `continues`.
    @discardableResult
    package func reply(_ parameters: some Encodable, continues: Bool = false) -> Sent {
        do {
            return reply(
                encoded: EncodedMessage(try encoder.reply(parameters, continues: continues)), isFinal: !continues)
        } catch {
            return fail(.invalidParameter("reply", reason: "the reply has a number that is not finite"))
        }
    }

    @discardableResult
    package func fail(_ error: ErrorReply) -> Sent {
        reply(encoded: EncodedMessage(encoder.error(error)), isFinal: true)
    }

    /// Answers the present call with bytes that many connections may share.
    /// - Parameter sentBytes: the number of bytes that were sent directly already.
    package func reply(encoded message: EncodedMessage, sentBytes: Int = 0, isFinal: Bool) -> Sent {
        let sent = session.isOneway ? Sent.whole : send(message, after: sentBytes)
        if isFinal {
            disableDirectSend()
            session.finishCall()
            // Deferred: the owner may be in the middle of answering many connections.
            if turn == .free { channel.eventLoop.assumeIsolated().execute { self.pump() } }
        }
        return sent
    }

    /// Sends bytes that answer no call.
    package func push(_ message: EncodedMessage) -> Sent { send(message) }

    /// Allows the table to answer the present call directly, for as long as the client is not behind.
    package func enableDirectSend(by table: DirectSendTable, at place: Int) {
        guard directSend == nil || directSend?.place == place, !isClosing, !session.isOneway, queued == 0,
            descriptor >= 0,
            session.isAnswering
        else { return }
        directSend = (table, place)
        table.enable(descriptor, at: place)
    }

    /// Stops direct sends through the table.
    package func disableDirectSend() {
        guard let directSend else { return }
        self.directSend = nil
        directSend.table.disable(directSend.place)
    }

    private func send(_ message: EncodedMessage, after sentBytes: Int = 0) -> Sent {
        guard !isClosing else { return .nothing }
        var sentBytes = sentBytes
        if sentBytes == 0, queued == 0, descriptor >= 0 {
            sentBytes = message.buffer.withUnsafeReadableBytes { sendNow(descriptor, $0) }
            if sentBytes == message.buffer.readableBytes { return .whole }
            if sentBytes < 0, ![EAGAIN, EINTR, ENOBUFS].contains(Int32(-sentBytes)) {
                close()
                return .nothing
            }
        }
        var rest = message.buffer
        rest.moveReaderIndex(forwardBy: max(0, sentBytes))
        queued += 1
        channel.writeAndFlush(rest).assumeIsolated().whenComplete { [weak self] in self?.sentQueued($0) }
        guard queued > 0 else { return .whole }
        owner?.connectionFellBehind(self)
        return .partly
    }

    private func sentQueued(_ result: Result<Void, any Error>) {
        queued -= 1
        // A write fails when the channel closes, after its descriptor was closed: nothing may be sent from here on.
        guard case .success = result else { return beginClosing() }
        guard queued == 0 else { return }
        guard !isClosing else { return endOutput() }
        owner?.connectionDrained(self)
        pump()
    }

    // MARK: Calls

    func received(_ bytes: ByteBuffer) {
        guard !isClosing, input == .calls else { return discard(bytes.readableBytes) }
        session.receive(bytes.readableBytesView)
        pump()
    }

    /// The client has ended its output; calls that it has sent are still answered.
    func inputEnded() {
        guard input == .calls else { return }
        reading = .ended
        pump()
        endIfAnswered()
    }

    /// Serves no call for the given time. Input is not read meanwhile, so a client that keeps sending has to wait.
    package func hold(for time: TimeAmount) {
        guard turn == .free || turn == .serving else { return }
        state = .open(.paused)
        updateReading()
        channel.eventLoop.assumeIsolated().scheduleTask(in: time) { [weak self] in
            guard let self else { return }
            if self.turn == .paused { self.state = .open(.free) }
            self.updateReading()
            self.pump()
        }
    }

    /// Reads no input while calls are not served, and none after too much that was discarded.
    private func updateReading() {
        let isOn = turn != .queued && turn != .paused && !isTooMuchDiscarded
        guard reading != .ended, isOn != (reading == .on) else { return }
        reading = isOn ? .on : .off
        // This fails only for a closed channel, which has nothing to read.
        try? channel.syncOptions?.setOption(.autoRead, value: isOn)
    }

    /// After this many calls in a row other connections are served.
    private static let callsAtOnce = 16

    /// Serves calls until one has to wait for its answer, or the client is behind; the number of waiting calls is
    /// bounded.
    private func pump() {
        guard turn == .free else { return }
        state = .open(.serving)
        var served = 0
        while turn == .serving, hasInput() {
            if let (scheduler, uid) = schedule {
                guard scheduler.isFree else {
                    state = .open(.queued)
                    updateReading()
                    scheduler.enqueue(for: uid) { [weak self] in self?.serveInTurn() }
                    break
                }
                scheduler.measure(serveNext)
            } else {
                serveNext()
            }
            served += 1
            if served == Self.callsAtOnce { hold(for: .milliseconds(1)) }
        }
        if turn == .serving { state = .open(.free) }
        endIfAnswered()
    }

    /// No call is served while the client is behind, but its input is still checked for length.
    private func hasInput() -> Bool {
        queued == 0 ? session.hasInput() : session.isOverfull
    }

    /// Serves one call in the user's turn.
    private func serveInTurn() {
        if turn == .queued {
            state = .open(.serving)
            if hasInput() { serveNext() }
            if turn == .serving { state = .open(.free) }
        }
        pump()
        updateReading()
    }

    private func serveNext() {
        guard let input = queued == 0 ? session.next() : session.overflow() else { return }
        switch input {
        case .call(let call):
            guard let owner else { return close() }
            owner.connection(self, received: call)
        case .violation(let error):
            _ = send(EncodedMessage(encoder.error(error)))
            owner?.connection(self, violated: error)
            closeGracefully()
        }
    }

    /// Ends the connection of a client that sends nothing more, when it has every answer.
    private func endIfAnswered() {
        guard reading == .ended, turn == .free || turn == nil, !session.isAnswering, queued == 0 else { return }
        close()
    }

    // MARK: The end

    /// The channel is inactive or closed; the owner is informed once.
    func ended() {
        beginClosing()
        owner?.connectionClosed(self)
        owner = nil
    }

    /// Closes the connection at once.
    package func close() {
        beginClosing()
        channel.close(promise: nil)
    }

    /// Closes the connection once the client has received everything: within `patience`, and within a second after the
    /// kernel has accepted it all.
    ///
    /// Input is read and discarded meanwhile: closing with unread input would reset the connection and lose the answer.
    package func closeGracefully(within patience: TimeAmount = .seconds(1)) {
        guard !isClosing else { return }
        beginClosing()
        updateReading()
        if queued == 0 { endOutput() }
        close(in: patience)
    }

    private func beginClosing() {
        state = .closing
        disableDirectSend()
    }

    /// Discards input up to a limit; a client that sends more has to wait until the connection is closed.
    private func discard(_ count: Int) {
        discarded += count
        guard isTooMuchDiscarded else { return }
        if isClosing { updateReading() } else { close() }
    }

    private var isTooMuchDiscarded: Bool { discarded > Self.discardLimit }
    /// The length of the longest request.
    private static let discardLimit = 1_048_576

    /// Shutting down the output while the channel has queued bytes would discard them.
    private func endOutput() {
        channel.close(mode: .output, promise: nil)
        close(in: .seconds(1))
    }

    private func close(in time: TimeAmount) {
        let channel = channel
        channel.eventLoop.assumeIsolated().scheduleTask(in: time) { channel.close(promise: nil) }
    }
}

/// Serves a connection's calls; called on its event loop.
package protocol ConnectionOwner: AnyObject {
    /// Answer with ``Connection/reply(_:continues:)`` or ``Connection/fail(_:)``, now or later.
    func connection(_ connection: Connection, received call: Call)
    /// The client broke the protocol; it has been sent the error, and the connection is ending.
    func connection(_ connection: Connection, violated error: ErrorReply)
    /// Sent bytes wait for the client to read.
    func connectionFellBehind(_ connection: Connection)
    /// The kernel has accepted everything that was sent.
    func connectionDrained(_ connection: Connection)
    func connectionClosed(_ connection: Connection)
}
