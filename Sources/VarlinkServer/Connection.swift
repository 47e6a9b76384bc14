import Glibc
package import NIOCore
package import Varlink

/// One client's connection. Slow readers are never waited for: what the kernel does not take at once goes through the
/// channel, one message at a time, and the owner is told when it is gone.
///
/// Ownership: everything belongs to the channel's event loop. The descriptor is NIO's; it is used for sending only,
/// only while the channel is active and has nothing queued, so the two never interleave. A ``DirectSendTable`` may have it
/// for as long as that holds.
package final class Connection {
    package enum Sent {
        /// The kernel has all of it.
        case whole
        /// Some of it waits in the channel; ``ConnectionOwner/connectionDrained(_:)`` follows.
        case partly
        /// The connection is ending.
        case nothing
    }

    /// What is expected of the client.
    package enum Input: Sendable {
        case calls
        /// Whatever it sends is thrown away; too much of it ends the connection.
        case nothing
    }

    package let channel: any Channel
    package weak var owner: (any ConnectionOwner)?
    private let descriptor: Int32
    private let sendNow: SendNow
    private let unreadNow: UnreadNow
    private let input: Input
    private var session: ServerSession
    private var queued = 0 { didSet { if queued > 0 { disableDirectSend() } } }
    private var isPumping = false
    /// No more is sent; set at the latest when the channel has become inactive, so the descriptor is not used after.
    private var isClosing = false { didSet { if isClosing { disableDirectSend() } } }
    private var isOneway = false
    private var turns: (scheduler: CallScheduler, uid: UInt32)?
    /// True while the next call waits for its user's turn.
    private var isQueued = false
    private var directSend: (table: DirectSendTable, place: Int)?
    private let encoder: MessageEncoder

    /// - Parameter descriptor: -1 where the channel has none; everything goes through the channel then.
    package init(
        channel: any Channel, descriptor: Int32, sendNow: @escaping SendNow = offer,
        unreadNow: @escaping UnreadNow = VarlinkServer.unread, input: Input = .calls, requestLimit: Int,
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

    /// The most bytes a request, or the requests that wait, may have.
    package var requestLimit: Int {
        get { session.requestLimit }
        set { session.requestLimit = newValue }
    }

    /// Has each call wait for its user's turn where many ask; without this none waits.
    package func takeTurns(by scheduler: CallScheduler, as uid: UInt32) {
        turns = (scheduler, uid)
    }

    /// True while something sent waits for the client to read.
    package var isBehind: Bool { queued > 0 }

    /// What was sent and has not been read, in the kernel and in the channel: as long as it is behind this falls with
    /// each thing the client reads.
    package var unread: Int {
        guard !isClosing else { return 0 }
        let waiting = try? channel.syncOptions?.getOption(.bufferedWritableBytes)
        return (descriptor >= 0 ? unreadNow(descriptor) : 0) + (waiting ?? 0)
    }

    // MARK: Replies

    /// Answers the call at hand, finally unless `continues`.
    @discardableResult
    package func reply(_ parameters: some Encodable, continues: Bool = false) -> Sent {
        do {
            return reply(
                encoded: EncodedMessage(try encoder.reply(parameters, continues: continues)), isFinal: !continues)
        } catch {
            return fail(.invalidParameter("reply", reason: "the answer holds a number that cannot be written"))
        }
    }

    @discardableResult
    package func fail(_ error: ErrorReply) -> Sent {
        reply(encoded: EncodedMessage(encoder.error(error)), isFinal: true)
    }

    /// Answers with bytes that may be shared by many connections.
    /// - Parameter taken: so many of them were sent directly already.
    package func reply(encoded message: EncodedMessage, taken: Int = 0, isFinal: Bool) -> Sent {
        let sent = isOneway ? Sent.whole : send(message, after: taken)
        if isFinal {
            disableDirectSend()
            session.finishCall()
            // The next call comes later: the owner may be in the middle of answering many.
            if !isPumping { channel.eventLoop.assumeIsolated().execute { self.pump() } }
        }
        return sent
    }

    /// Sends bytes that answer no call.
    package func push(_ message: EncodedMessage) -> Sent { send(message) }

    /// The call at hand may be answered through the table, too, as long as the client takes all it is sent.
    package func enableDirectSend(by table: DirectSendTable, at place: Int) {
        guard directSend == nil || directSend?.place == place, !isClosing, !isOneway, queued == 0, descriptor >= 0,
            session.isAnswering
        else { return }
        directSend = (table, place)
        table.enable(descriptor, at: place)
    }

    /// Nothing goes through the table any more.
    package func disableDirectSend() {
        guard let directSend else { return }
        self.directSend = nil
        directSend.table.disable(directSend.place)
    }

    private func send(_ message: EncodedMessage, after taken: Int = 0) -> Sent {
        guard !isClosing else { return .nothing }
        var taken = taken
        if taken == 0, queued == 0, descriptor >= 0 {
            taken = message.buffer.withUnsafeReadableBytes { sendNow(descriptor, $0) }
            if taken == message.buffer.readableBytes { return .whole }
            if taken < 0, ![EAGAIN, EINTR, ENOBUFS].contains(Int32(-taken)) {
                close()
                return .nothing
            }
        }
        var rest = message.buffer
        rest.moveReaderIndex(forwardBy: max(0, taken))
        queued += 1
        channel.writeAndFlush(rest).assumeIsolated().whenComplete { [weak self] in self?.sentQueued($0) }
        guard queued > 0 else { return .whole }
        owner?.connectionFellBehind(self)
        return .partly
    }

    private func sentQueued(_ result: Result<Void, any Error>) {
        queued -= 1
        // A write fails when the channel closes, after its descriptor has been: nothing may be sent from here on.
        guard case .success = result else { return isClosing = true }
        guard queued == 0 else { return }
        guard !isClosing else { return endOutput() }
        owner?.connectionDrained(self)
        pump()
    }

    // MARK: Calls

    func received(_ bytes: ByteBuffer) {
        guard !isClosing, input == .calls else { return drain(bytes.readableBytes) }
        session.receive(bytes.readableBytesView)
        pump()
    }

    /// The client will send no more; what it asked for is still answered.
    func inputEnded() {
        guard input == .calls else { return }
        endsWithInput = true
        pump()
    }

    private var endsWithInput = false

    /// Serves no call for a while; meanwhile nothing is read, so that who sends on has to wait.
    package func hold(for time: TimeAmount) {
        guard !isHeld, !isClosing else { return }
        isHeld = true
        updateReading()
        channel.eventLoop.assumeIsolated().scheduleTask(in: time) { [weak self] in
            guard let self else { return }
            self.isHeld = false
            self.updateReading()
            self.pump()
        }
    }

    /// Nothing is read while no call is served, so that who sends on has to wait.
    private func updateReading() {
        let isReading = !isHeld && !isQueued && !isDrainedEnough
        guard isReading != self.isReading else { return }
        self.isReading = isReading
        // It fails only for a channel that is closed, and then there is nothing to read.
        try? channel.syncOptions?.setOption(.autoRead, value: isReading)
    }

    private var isHeld = false
    private var isReading = true

    /// After so many the others have their turn.
    private static let callsAtOnce = 16

    /// Serves calls until one has to wait, or the client is slow to read the answers; those that wait are bounded.
    private func pump() {
        guard !isPumping, !isQueued else { return }
        isPumping = true
        defer { isPumping = false }
        var served = 0
        while !isClosing, !isHeld, hasInput() {
            if let (scheduler, uid) = turns {
                guard scheduler.isFree else {
                    isQueued = true
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
        if endsWithInput, !isHeld, !isQueued, !session.isAnswering, queued == 0 { close() }
    }

    /// While the client is slow to read, nothing is served; it may only have sent too much.
    private func hasInput() -> Bool {
        queued == 0 ? session.hasInput() : session.isOverfull
    }

    /// It is the user's turn: one call, then the others'.
    private func serveInTurn() {
        isQueued = false
        if !isClosing, !isHeld, hasInput() {
            isPumping = true
            serveNext()
            isPumping = false
        }
        pump()
        updateReading()
    }

    private func serveNext() {
        guard let input = queued == 0 ? session.next() : session.overflow() else { return }
        switch input {
        case .call(let call):
            isOneway = call.oneway
            guard let owner else { return close() }
            owner.connection(self, received: call)
        case .violation(let error):
            isOneway = false
            _ = send(EncodedMessage(encoder.error(error)))
            owner?.connection(self, violated: error)
            closeGracefully()
        }
    }

    // MARK: The end

    /// The channel is inactive, or gone; the owner is told once.
    func ended() {
        isClosing = true
        owner?.connectionClosed(self)
        owner = nil
    }

    /// Ends at once.
    package func close() {
        isClosing = true
        channel.close(promise: nil)
    }

    /// Lets what was sent arrive, then ends: within the patience, and within a second once the kernel has it all.
    ///
    /// Input is read and thrown away meanwhile: closing over unread input would reset the connection and take the
    /// answer with it.
    package func closeGracefully(within patience: TimeAmount = .seconds(1)) {
        guard !isClosing else { return }
        isClosing = true
        if queued == 0 { endOutput() }
        close(in: patience)
    }

    /// Throws input away, but not for ever: whoever goes on sending has to wait for the end.
    private func drain(_ count: Int) {
        drained += count
        guard isDrainedEnough else { return }
        if isClosing { updateReading() } else { close() }
    }

    private var drained = 0
    private var isDrainedEnough: Bool { drained > Self.drainLimit }
    /// As long as the longest request may be.
    private static let drainLimit = 1_048_576

    /// Ending the output while something waits in the channel would throw it away.
    private func endOutput() {
        channel.close(mode: .output, promise: nil)
        close(in: .seconds(1))
    }

    private func close(in time: TimeAmount) {
        let channel = channel
        channel.eventLoop.assumeIsolated().scheduleTask(in: time) { channel.close(promise: nil) }
    }
}

/// Who serves a connection's calls; called on its event loop.
package protocol ConnectionOwner: AnyObject {
    /// Answer by ``Connection/reply(_:continues:)`` or ``Connection/fail(_:)``, now or later.
    func connection(_ connection: Connection, received call: Call)
    /// The client broke the protocol; it has been told and the connection is ending.
    func connection(_ connection: Connection, violated error: ErrorReply)
    /// Something sent waits for the client to read.
    func connectionFellBehind(_ connection: Connection)
    /// Everything sent is in the kernel's hands.
    func connectionDrained(_ connection: Connection)
    func connectionClosed(_ connection: Connection)
}
