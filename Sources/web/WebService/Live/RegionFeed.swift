@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
@_spi(Programs) import LocationSession
import NIOCore
import ServiceServer
import Varlink

/// The regions that a user has drawn on the map: a monitor at the daemon, which is persisted under a name of our own.
/// It runs while one of the user's pages is open, and its events go to all of them.
///
/// Ownership: everything belongs to the event loop.
final class RegionFeed {
    enum Output {
        /// All regions with their states.
        case regions(RegionList)
        /// A region was entered or left.
        case report(RegionReportOnWire)
    }

    /// The monitor's name.
    static let name = "locationd-web"

    private let program: ServedProgram
    private let daemon: String
    /// Seconds that one answer may take.
    private let patience: Double
    private let eventLoop: any EventLoop
    private let receive: (Output) -> Void
    /// `nil` while nothing is drawn.
    private var monitor: ServedSession<MonitorReply>?
    /// Whether the daemon has answered the monitor's call.
    private var isOpen = false
    /// Told whether the first region is drawn.
    private var opened: ((CallGateway.Answer?) -> Void)?
    private var isClosed = false
    /// `nil` until the daemon has answered.
    private(set) var list: RegionList?
    private var isRefreshing = false
    /// Whether what is being asked for may be older than the last change.
    private var needsRefresh = false

    init(
        uid: UInt32, daemon: String, patience: Double, eventLoop: any EventLoop, receive: @escaping (Output) -> Void
    ) {
        program = ServedProgram(uid: uid, label: ServedProgram.pageLabel)
        (self.daemon, self.patience, self.eventLoop, self.receive) = (daemon, patience, eventLoop, receive)
        if let callByName { open(callByName) }
    }

    func close() {
        isClosed = true
        monitor?.close()
        monitor = nil
    }

    // MARK: Changes

    /// Draws regions, in place of those with the same identifier, and removes others.
    ///
    /// - Parameter done: called with the daemon's error, or `nil`; not if the last page leaves meanwhile.
    func change(_ calls: RegionCalls, done: @escaping (CallGateway.Answer?) -> Void) {
        // Over a connection of its own: the monitor's is answering.
        let patience = TimeAmount.nanoseconds(Int64(self.patience * 1e9))
        PendingCall(calls.change, at: daemon, within: patience, on: eventLoop) { [weak self] result in
            guard let self else { return }
            let reply = try? result.get()
            guard reply?.error == LocationInterface.Failure.noSuchMonitor else {
                refresh()
                return done(CallGateway.Answer(failureOf: reply))
            }
            // The first region of all.
            guard let monitor = calls.monitor else { return done(nil) }
            open(monitor)
            opened = done
        }
    }

    /// Asks for all regions, off the event loop because there may be a thousand, and once for all who ask meanwhile.
    private func refresh() {
        needsRefresh = isRefreshing
        guard !isRefreshing, !isClosed else { return }
        isRefreshing = true
        let (program, daemon, patience, eventLoop) = (program, daemon, patience, eventLoop)
        let feed = NIOLoopBound(self, eventLoop: eventLoop)
        Task {
            let list = await RegionList.drawn(by: program, at: daemon, within: patience)
            eventLoop.execute { feed.value.finishRefresh(list) }
        }
    }

    private func finishRefresh(_ list: RegionList?) {
        isRefreshing = false
        guard !isClosed else { return }
        // The user may not be allowed to know the states any more.
        if needsRefresh { return refresh() }
        guard let list else { return }
        self.list = list
        receive(.regions(list))
    }

    /// Removes what tells where the machine is, as far as the user may not know it any more: the daemon says what
    /// remains.
    func removeStates() {
        // What is being asked for may still have the states.
        if isRefreshing { needsRefresh = true }
        guard let list, !list.reports.isEmpty else { return }
        let bare = RegionList(regions: list.regions)
        self.list = bare
        receive(.regions(bare))
        refresh()
    }

    // MARK: The monitor

    /// The call of a monitor that is persisted already: what others have changed meanwhile is not undone.
    private var callByName: [UInt8]? { RegionCalls.monitor(MonitorRequest(name: Self.name), for: program) }

    private func open(_ call: [UInt8]) {
        guard !isClosed else { return }
        isOpen = false
        if let monitor {
            monitor.change(to: call)
        } else {
            monitor = ServedSession(daemon: daemon, call: call, on: eventLoop) { [weak self] in self?.apply($0) }
        }
        // A page that was told that its regions are not drawn finds them drawn by no later attempt.
        if let callByName { monitor?.call = callByName }
    }

    private func apply(_ event: ServedSession<MonitorReply>.Event) {
        switch event {
        case .answer(let reply):
            if !isOpen {
                isOpen = true
                finishOpening(nil)
                refresh()
            }
            guard let report = reply.region else { return }
            receive(.report(report))
            refresh()
        case .failed(let failure, _):
            isOpen = false
            finishOpening(CallGateway.Answer(failureOf: failure.refusal))
            // Nothing is drawn yet. Another service of this user may have it, which may end.
            guard failure.refusal?.error == LocationInterface.Failure.noSuchMonitor else { return }
            monitor?.close()
            monitor = nil
            refresh()
        }
    }

    private func finishOpening(_ answer: CallGateway.Answer?) {
        let opened = opened
        self.opened = nil
        opened?(answer)
    }
}

/// What is drawn on the map.
struct RegionList: Sendable {
    let regions: [Region]
    /// The state of each, as far as it is known.
    let reports: [RegionReportOnWire]
    /// The same for pages; made once, because there may be many pages.
    let json: String

    private struct Content: Encodable {
        let regions: [Region]
        let reports: [RegionReportOnWire]
    }

    init(regions: [Region] = [], reports: [RegionReportOnWire] = []) {
        (self.regions, self.reports) = (regions, reports)
        json = WebJSON.text(Content(regions: regions, reports: reports)) ?? "{}"
    }

    /// - Returns: `nil` if the daemon does not say.
    fileprivate static func drawn(
        by program: ServedProgram, at daemon: String, within patience: Double
    ) async -> RegionList? {
        let reply = try? await DaemonCall.reply(
            to: LocationInterface.Method.listMonitors, NoParameters(), for: program, at: daemon,
            within: patience)
        guard let monitors = try? reply?.parameters(as: ListMonitorsReply.self).monitors else { return nil }
        let own = monitors.first { $0.name == RegionFeed.name }
        // A location would be older when a page is opened later; the page has another one.
        let reports = (own?.reports ?? []).map { report in
            var report = report
            report.location = nil
            return report
        }
        return RegionList(regions: own?.regions ?? [], reports: reports)
    }
}

/// What a page changes.
struct RegionChange: Decodable, Sendable {
    var add: [Region]?
    var remove: [String]?
}

/// The daemon's calls for a change, which are made off the event loop.
struct RegionCalls: Sendable {
    let change: [UInt8]
    /// In case that nothing is drawn yet; `nil` if the change draws nothing.
    let monitor: [UInt8]?

    /// - Parameter body: a page's.
    /// - Returns: `nil` if it is no change.
    init?(_ body: [UInt8], of uid: UInt32) {
        guard let wanted = WebJSON.value(body, as: RegionChange.self) else { return nil }
        let program = ServedProgram(uid: uid, label: ServedProgram.pageLabel)
        let request = ChangeRegionsParameters(name: RegionFeed.name, add: wanted.add, remove: wanted.remove)
        guard
            let call = try? MessageEncoder().call(
                LocationInterface.Method.changeRegions, ServedRequest(request: request, program: program))
        else { return nil }
        change = call
        monitor = wanted.add.flatMap { regions in
            guard !regions.isEmpty else { return nil }
            let subjects = MonitorSubjects(regions: regions)
            return Self.monitor(MonitorRequest(name: RegionFeed.name, subjects: subjects), for: program)
        }
    }

    static func monitor(_ request: MonitorRequest, for program: ServedProgram) -> [UInt8]? {
        try? MessageEncoder().call(
            LocationInterface.Method.monitor, ServedRequest(request: request, program: program), more: true)
    }
}

extension CallGateway.Answer {
    /// What a page is answered if the daemon refuses; `nil` if it does not.
    fileprivate init?(failureOf reply: Reply?) {
        guard let reply else {
            self = .failure(502, "locationd does not answer")
            return
        }
        guard reply.error != nil else { return nil }
        self.init(reply)
    }
}
