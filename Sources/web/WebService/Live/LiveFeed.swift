@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
@_spi(Programs) import LocationSession
import NIOCore
import ServiceServer
@_spi(Programs) import SystemSupport
import Varlink

/// What one user's pages are sent: one watch at the daemon for all of them, which ends with the last page.
///
/// Ownership: everything belongs to the event loop.
final class LiveFeed {
    private let eventLoop: any EventLoop
    private var watch: ServedWatch?
    private let daemon: String
    private let uid: UInt32
    /// Open while a page wants estimates.
    private var estimateWatch: ServedWatch?
    private var newestEstimate = NewestUpdate()
    private(set) var regions: RegionFeed?
    private(set) var pages: [ObjectIdentifier: LivePage] = [:]
    /// For a page that is opened later.
    private var newest = NewestUpdate()
    private var outage: String?

    /// - Parameters:
    ///   - daemon: the path of the control socket.
    ///   - patience: seconds that an answer about regions may take.
    init(uid: UInt32, daemon: String, patience: Double, eventLoop: any EventLoop, log: OutageLog) throws {
        (self.uid, self.daemon, self.eventLoop) = (uid, daemon, eventLoop)
        var request = WatchRequest()
        (request.satellites, request.heading) = (true, true)
        let call = try Self.call(request, of: uid)
        // A fix and its satellites come one after the other, and go to the pages together.
        let flush = { [weak self] in for page in self?.pages.values.map(\.self) ?? [] { page.flush() } }
        watch = ServedWatch(daemon: daemon, call: call, on: eventLoop, log: log, readComplete: flush) {
            [weak self] input in
            switch input {
            case .answer(let update): self?.apply(update)
            case .failed(let failure, let isFirst): if isFirst { self?.applyOutage(failure.description) }
            }
        }
        regions = RegionFeed(uid: uid, daemon: daemon, patience: patience, eventLoop: eventLoop) { [weak self] output in
            for page in self?.pages.values.map(\.self) ?? [] { page.send(output) }
        }
    }

    private static func call(_ request: WatchRequest, of uid: UInt32) throws -> [UInt8] {
        let program = ServedProgram(uid: uid, label: ServedProgram.pageLabel)
        return try MessageEncoder().call(
            LocationInterface.Method.watch, ServedRequest(request: request, program: program), more: true)
    }

    /// Asks for estimates while a page wants them, and for no longer.
    private func updateEstimates() {
        guard pages.values.contains(where: \.wantsEstimates) else {
            estimateWatch?.close()
            (estimateWatch, newestEstimate) = (nil, NewestUpdate())
            return
        }
        var request = WatchRequest()
        request.estimate = true
        // Its numbers are finite, so it can be encoded.
        guard estimateWatch == nil, let call = try? Self.call(request, of: uid) else { return }
        let flush = { [weak self] in for page in self?.pages.values.map(\.self) ?? [] { page.flushEstimate() } }
        estimateWatch = ServedWatch(daemon: daemon, call: call, on: eventLoop, readComplete: flush) {
            [weak self] input in
            // Of an outage the other watch says why.
            guard case .answer(let update) = input, let self else { return }
            newestEstimate.merge(update, at: MachineClock.now)
            for page in pages.values { page.merge(estimate: update) }
        }
    }

    var isEmpty: Bool { pages.isEmpty }

    func add(_ page: LivePage) {
        pages[ObjectIdentifier(page)] = page
        updateEstimates()
        if let outage { return page.send(outage: outage) }
        if let reply = newest.reply(at: MachineClock.now) { page.send(reply) }
        if let reply = newestEstimate.reply(at: MachineClock.now) {
            page.merge(estimate: reply)
            page.flushEstimate()
        }
        if let list = regions?.list { page.send(.regions(list)) }
    }

    func remove(_ page: LivePage) {
        pages[ObjectIdentifier(page)] = nil
        updateEstimates()
        if pages.isEmpty { end() }
    }

    func end() {
        watch?.close()
        estimateWatch?.close()
        regions?.close()
        (watch, estimateWatch, regions) = (nil, nil, nil)
        for page in pages.values { page.close() }
        pages = [:]
    }

    func sendComments() {
        for page in pages.values { page.sendComment() }
    }

    private func apply(_ update: WatchReply) {
        outage = nil
        let isRemoved = newest.merge(update, at: MachineClock.now)
        if isRemoved { regions?.removeStates() }
        if !newest.seesAll { newestEstimate.removePositions() }
        for page in pages.values { page.merge(update) }
    }

    private func applyOutage(_ reason: String) {
        outage = reason
        newest.removeMomentary()
        for page in pages.values { page.send(outage: reason) }
    }
}
