import GPSDProtocol
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import NIOCore
@_spi(Programs) import ServiceServer
@_spi(Programs) import SystemSupport

/// A connection of a program that speaks gpsd's protocol.
///
/// A client that does not read misses reports, as with gpsd, and its requests wait; it is closed after
/// ``GPSDServer/Limits/stalledTimeout``. One whose user is over the rate is not read for a second. No other waits for
/// it.
///
/// Ownership: everything belongs to the event loop. What is read, what waits and what is not sent yet are limited by
/// one another; so they are properties of one type, more than fifteen.
final class GPSDClient: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// Bytes of answers that wait for a client from which on its further requests wait too.
    private static let unreadLimit = 16_384
    /// Bytes of requests that may wait. Only a client that has closed its end is read beyond ``GPSDServer/mostRead``.
    private static let pendingLimit = 65_536
    /// How long the rest of a request may take. Then it is answered as it is: gpsd takes what it reads at once for a
    /// request, and who waits for the answer to one without an end is told what is wrong.
    private static let requestTimeout = TimeAmount.seconds(1)
    /// What is answered in one turn: so much input, requests or answers, which take a fraction of a millisecond.
    private static let turn = (input: 1024, requests: 64, answers: 8192)

    private(set) var session = GPSDSession()
    private let channel: any Channel
    private let stalledTimeout: TimeAmount
    private let limits: ClientLimits
    private let serve: (GPSDClient) -> UserFeed?
    private var feed: UserFeed?
    private var share = DemandCount.Share.nothing
    private var pending = PendingRequests()
    /// Whether its turn was asked for.
    private var isQueued = false
    private var isReading = true
    /// The client sends nothing more; it is closed once it is answered.
    private var hasEnded = false
    /// Bytes that wait for the client here, and since when it has read none of them.
    private var unread = 0
    private var unreadSince = NIODeadline.now()
    private var stalled: Scheduled<Void>?
    private var unfinished: Scheduled<Void>?
    private var isFlushed = true
    private(set) var missed = 0

    /// - Parameter serve: adds the client to those of its user; `nil` if it is refused, and has been sent the reason.
    init(
        _ channel: any Channel, limits: ClientLimits, stalledTimeout: Double, serve: @escaping (GPSDClient) -> UserFeed?
    ) {
        self.channel = channel
        self.limits = limits
        self.stalledTimeout = .nanoseconds(Int64(stalledTimeout * 1e9))
        self.serve = serve
    }

    func channelActive(context: ChannelHandlerContext) {
        session = GPSDSession(isPadded: ServedProgram.Transport(of: channel) == .tcp)
        send(GPSDSession.greeting)
        feed = serve(self)
        guard let feed else { return context.close(promise: nil) }
        feed.add(self)
        updateReading()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let feed else { return }
        let received = unwrapInboundIn(data)
        guard pending.count + received.readableBytes <= Self.pendingLimit,
            limits.account.hold(received.readableBytes, for: feed.uid)
        else { return close() }
        pending.append(received)
        proceed()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard let event = event as? ChannelEvent, event == .inputClosed else {
            return context.fireUserInboundEventTriggered(event)
        }
        hasEnded = true
        closeIfDone()
    }

    func channelInactive(context: ChannelHandlerContext) {
        leave()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { leave() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func leave() {
        guard let feed else { return }
        self.feed = nil
        stalled?.cancel()
        unfinished?.cancel()
        limits.account.release(pending.count, of: feed.uid)
        pending = PendingRequests()
        feed.remove(self, which: share)
    }

    func close() { channel.close(promise: nil) }

    private func closeIfDone() {
        guard hasEnded, pending.isEmpty else { return }
        if session.isWithinRequest { endRequest() }
        if unread == 0 { close() }
    }

    // MARK: Requests

    /// Answers what waits when it is the user's turn, unless the user is over the rate or the client does not read.
    func proceed() {
        if let feed, !isQueued, !pending.isEmpty, mayProceed {
            isQueued = true
            limits.scheduler.perform(for: feed.uid) { [weak self] in self?.answerInTurn() }
        }
        updateReading()
    }

    private var mayProceed: Bool { feed?.isAnswering == true && unread < Self.unreadLimit }

    private func answerInTurn() {
        isQueued = false
        guard let feed, mayProceed else { return }
        guard limits.mayAnswer(feed.uid) else { return feed.pause() }
        var (input, requests, answers) = (0, 0, [UInt8]())
        while input < Self.turn.input, requests < Self.turn.requests, answers.count < Self.turn.answers,
            let piece = pending.next()
        {
            input += piece.readableBytes
            requests += 1
            answers += piece.withUnsafeReadableBytes { session.receive($0, at: MachineClock.utc) }
        }
        limits.account.release(input, of: feed.uid)
        send(answers)
        updateShare()
        awaitRest()
        closeIfDone()
        proceed()
    }

    /// Ends a request of which nothing more comes in time.
    private func awaitRest() {
        unfinished?.cancel()
        unfinished = nil
        guard feed != nil, session.isWithinRequest else { return }
        unfinished = channel.eventLoop.assumeIsolated().scheduleTask(in: Self.requestTimeout) { [weak self] in
            guard let self, let feed else { return }
            unfinished = nil
            guard pending.isEmpty, mayProceed, limits.mayAnswer(feed.uid) else { return awaitRest() }
            endRequest()
        }
    }

    private func endRequest() {
        send(session.endRequest(at: MachineClock.utc))
        updateShare()
    }

    private func updateShare() {
        let former = share
        share = DemandCount.Share(demand: session.demand, wantsSentences: session.forms.contains(.nmea))
        if share != former { feed?.change(from: former, to: share) }
        if former.demand == .nothing, share.demand != .nothing { feed?.recallReports(for: self) }
    }

    /// Reads no further while requests wait.
    private func updateReading() {
        let reads = pending.isEmpty && mayProceed
        guard reads != isReading else { return }
        isReading = reads
        try? channel.syncOptions?.setOption(.autoRead, value: reads)
    }

    // MARK: Answers and reports

    func applyDevices(_ devices: [GPSDDevice]) { send(session.applyDevices(devices)) }

    /// It is repeated while there is nothing else to say; a client that does not read needs it once it reads again.
    func applyRefusal(_ sentence: String) {
        let bytes = session.applyRefusal(sentence)
        if unread < Self.unreadLimit { send(bytes) }
    }

    func forgetReports() { session.forgetReports() }

    /// What the client is sent of a report; see ``GPSDSession/applyReport(_:)``.
    func applyReport(_ report: GPSDReport) -> [UInt8] { session.applyReport(report) }

    /// Sends something that the client must not miss, unlike a report. It waits while the client does not read; where
    /// no more may wait, the client is closed.
    func send(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        guard write(ByteBuffer(bytes: bytes)) else { return close() }
        flush()
    }

    /// Writes a report, or leaves it out if the client has not read those before. ``flush()`` sends it.
    func writeReport(_ buffer: ByteBuffer) {
        // Reports that were not sent yet say nothing about the client.
        if !channel.isWritable { flush() }
        guard channel.isWritable, write(buffer) else {
            missed += 1
            return
        }
    }

    /// - Returns: false if the limits do not allow it to wait here.
    private func write(_ buffer: ByteBuffer) -> Bool {
        let count = buffer.readableBytes
        guard let uid = feed?.uid else {
            // It is being refused, and closed after this.
            channel.write(buffer, promise: nil)
            isFlushed = false
            return true
        }
        guard limits.account.hold(count, for: uid) else { return false }
        if unread == 0 { unreadSince = .now() }
        unread += count
        isFlushed = false
        let limits = limits
        channel.write(buffer).assumeIsolated().whenComplete { [weak self] _ in
            limits.account.release(count, of: uid)
            self?.hasRead(count)
        }
        return true
    }

    private func hasRead(_ count: Int) {
        unread -= count
        unreadSince = .now()
        if unread == 0 {
            stalled?.cancel()
            stalled = nil
            closeIfDone()
        }
        proceed()
    }

    /// Sends what was written: several reports with one system call.
    func flush() {
        guard !isFlushed else { return }
        isFlushed = true
        channel.flush()
        if unread > 0, stalled == nil { awaitReading() }
    }

    /// Closes the client if it reads nothing until the time is over.
    private func awaitReading() {
        let deadline = unreadSince + stalledTimeout
        stalled = channel.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [weak self] in
            guard let self, feed != nil else { return }
            stalled = nil
            guard unread > 0 else { return }
            if unreadSince + stalledTimeout <= .now() { close() } else { awaitReading() }
        }
    }
}
