import LocationInterface
import LocationModel
import NIOCore

/// One open page: what it is sent as server-sent events (HTML Living Standard, 9.2).
///
/// A page that does not read keeps the newest update alone; what it missed is counted.
///
/// Ownership: everything belongs to the event loop.
final class LivePage {
    private let channel: any Channel
    private let write: (ByteBuffer) -> Void
    /// Seconds without reading after which the page is closed.
    private static let stalledTimeout = TimeAmount.seconds(60)
    private var held: WatchReply?
    private var outage: String?
    private var regions: RegionList?
    private var dropped = 0
    private var stall: Scheduled<Void>?

    init(_ channel: any Channel, write: @escaping (ByteBuffer) -> Void) {
        (self.channel, self.write) = (channel, write)
    }

    /// - Parameter update: as it is at this moment.
    func send(_ update: WatchReply) {
        guard channel.isWritable else { return hold(update) }
        writeEvent("update", update, id: update.location?.value.sequence)
    }

    func send(outage reason: String) {
        guard channel.isWritable else { return outage = reason }
        writeEvent("outage", ["reason": reason])
    }

    /// Of a page that does not read the newest states count; what led to them is left out.
    func send(_ output: RegionFeed.Output) {
        switch output {
        case .regions(let list): if channel.isWritable { writeEvent("regions", list) } else { regions = list }
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
        if dropped > 0 { writeEvent("dropped", ["count": dropped]) }
        if let held { writeEvent("update", held, id: held.location?.value.sequence) }
        if let outage { writeEvent("outage", ["reason": outage]) }
        if let regions { writeEvent("regions", regions) }
        (held, outage, regions, dropped) = (nil, nil, nil, 0)
    }

    func close() {
        stall?.cancel()
        channel.close(promise: nil)
    }

    private func hold(_ update: WatchReply) {
        outage = nil
        if held?.location != nil, update.location != nil { dropped += 1 }
        held = WatchReply(
            status: update.status ?? held?.status, location: update.location ?? held?.location,
            heading: update.heading ?? held?.heading, satellites: update.satellites ?? held?.satellites)
        guard stall == nil else { return }
        stall = channel.eventLoop.assumeIsolated().scheduleTask(in: Self.stalledTimeout) { [channel] in
            channel.close(promise: nil)
        }
    }

    private func writeEvent(_ name: String, _ value: some Encodable, id: Int64? = nil) {
        guard let json = WebJSON.text(value) else { return }
        write(ByteBuffer(string: "event: \(name)\n" + (id.map { "id: \($0)\n" } ?? "") + "data: \(json)\n\n"))
    }
}
