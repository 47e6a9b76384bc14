@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import NIOCore
@_spi(Programs) import SystemSupport

/// One open page: what it is sent as server-sent events (HTML Living Standard, 9.2).
///
/// A page that does not read keeps the newest update alone; what it missed is counted.
///
/// Ownership: everything belongs to the event loop.
final class LivePage {
    /// The session that opened it: it is closed with that.
    let session: String
    /// The only browser that may use the session.
    let browser: WebSessions.Browser
    /// Whether it is sent estimates beside the fixes.
    let wantsEstimates: Bool
    private let channel: any Channel
    private let write: (ByteBuffer) -> Void
    private let now: () -> BootInstant
    /// Seconds without reading after which the page is closed.
    private static let stalledTimeout = TimeAmount.seconds(60)
    private var newest = NewestUpdate()
    private var newestEstimate = NewestUpdate()
    private var outage: String?
    private var regions: RegionList?
    private var dropped = 0
    private var stall: Scheduled<Void>?

    /// - Parameter now: the clock of ages; tests replace it.
    init(
        _ channel: any Channel, session: String, browser: WebSessions.Browser, wantsEstimates: Bool = false,
        now: @escaping () -> BootInstant = { MachineClock.now },
        write: @escaping (ByteBuffer) -> Void
    ) {
        (self.channel, self.session, self.browser, self.now, self.write) = (channel, session, browser, now, write)
        self.wantsEstimates = wantsEstimates
    }

    /// - Parameter update: as it is at this moment.
    func send(_ update: WatchReply) {
        merge(update)
        flush()
    }

    /// Takes an update that is sent with the next ``flush()``.
    func merge(_ update: WatchReply) {
        if newest.hasLocation, update.location != nil { dropped += 1 }
        dropped += update.dropped ?? 0
        // What may not be known any more is not known by an estimate either.
        newest.merge(update, at: now())
        if !newest.seesAll { newestEstimate.removePositions() }
        outage = nil
    }

    /// The same for an update with an estimate, if the page wants those.
    func merge(estimate update: WatchReply) {
        guard wantsEstimates else { return }
        newestEstimate.merge(update, at: now())
        // The watch of the fixes may know already that there is less to see.
        if !newest.seesAll { newestEstimate.removePositions() }
    }

    func send(outage reason: String) {
        outage = reason
        flush()
    }

    /// A page that does not read is sent the newest states later, and no events.
    func send(_ output: RegionFeed.Output) {
        switch output {
        case .regions(let list): if channel.isWritable { writeRegions(list) } else { regions = list }
        case .report(let report): if channel.isWritable { writeEvent("region", report) }
        }
    }

    /// Keeps the connection open where a proxy closes silent ones.
    func sendComment() {
        if channel.isWritable { write(ByteBuffer(string: ": \n\n")) }
    }

    /// What was sent has been read.
    func resume() {
        stall?.cancel()
        stall = nil
        flush()
        flushEstimate()
        if let regions, channel.isWritable {
            writeRegions(regions)
            self.regions = nil
        }
    }

    func close() {
        stall?.cancel()
        channel.close(promise: nil)
    }

    /// Sends what the page does not have yet, in one piece: the moments and the lengths of pieces tell others nothing.
    func flush() {
        guard channel.isWritable else { return closeIfStalled() }
        // Taken before they are written: writing may call `resume`.
        let (count, update, reason) = (dropped, newest.popReply(at: now()), outage)
        (dropped, outage) = (0, nil)
        var events = ByteBuffer()
        if count > 0 { Self.add("dropped", ["count": count], to: &events) }
        if let update { Self.add("update", update, id: update.location?.value.sequence, to: &events) }
        if let reason { Self.add("outage", ["reason": reason], to: &events) }
        if events.readableBytes > 0 { write(events) }
    }

    /// The same for the estimate: a piece of its own, because the lengths of pieces that have both would differ.
    func flushEstimate() {
        guard channel.isWritable else { return closeIfStalled() }
        guard let estimate = newestEstimate.popReply(at: now()) else { return }
        writeEvent("estimate", estimate)
    }

    private func closeIfStalled() {
        guard stall == nil else { return }
        stall = channel.eventLoop.assumeIsolated().scheduleTask(in: Self.stalledTimeout) { [channel] in
            channel.close(promise: nil)
        }
    }

    private func writeRegions(_ list: RegionList) {
        write(ByteBuffer(string: "event: regions\ndata: \(list.json)\n\n"))
    }

    private func writeEvent(_ name: String, _ value: some Encodable) {
        var events = ByteBuffer()
        Self.add(name, value, to: &events)
        if events.readableBytes > 0 { write(events) }
    }

    private static func add(_ name: String, _ value: some Encodable, id: Int64? = nil, to events: inout ByteBuffer) {
        guard let json = WebJSON.text(value) else { return }
        events.writeString("event: \(name)\n" + (id.map { "id: \($0)\n" } ?? "") + "data: \(json)\n\n")
    }
}
