@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationModel
import NIOCore
import ServiceServer
import Varlink

/// The regions that a user has drawn on the map: a monitor at the daemon, which is persisted under a name of our own. It runs while one of
/// the user's pages is open, and its events go to all of them.
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
    /// Seconds until the daemon is tried again.
    private static let pause = 5.0
    /// The longest time that one answer may take.
    fileprivate static let patience = 10.0

    private let program: ServedProgram
    private let daemon: String
    private let eventLoop: any EventLoop
    private let receive: (Output) -> Void
    private var connection: DaemonConnection?
    private var retry: Scheduled<Void>?
    private var isClosed = false
    /// `nil` until the daemon has answered.
    private(set) var list: RegionList?
    private var isRefreshing = false
    /// Whether what is being asked for may be older than the last change.
    private var needsRefresh = false

    init(uid: UInt32, daemon: String, eventLoop: any EventLoop, receive: @escaping (Output) -> Void) {
        program = ServedProgram(uid: uid, label: "web page")
        (self.daemon, self.eventLoop, self.receive) = (daemon, eventLoop, receive)
        openAnew()
    }

    func close() {
        isClosed = true
        retry?.cancel()
        connection?.close()
        connection = nil
    }

    // MARK: Changes

    /// Draws regions, in place of those with the same identifier, and removes others.
    ///
    /// - Parameter done: called with the daemon's error, or `nil`; not if the last page leaves meanwhile.
    func change(_ calls: RegionCalls, done: @escaping (CallGateway.Answer?) -> Void) {
        callOnce(calls.change) { [weak self] reply in
            guard let self else { return }
            guard reply?.error == LocationInterface.Failure.noSuchMonitor else {
                refresh()
                return done(CallGateway.Answer(failureOf: reply))
            }
            // The first region of all.
            guard let monitor = calls.monitor else { return done(nil) }
            open(monitor, opened: done)
        }
    }

    /// Asks for all regions, off the event loop because there may be a thousand, and once for all who ask meanwhile.
    private func refresh() {
        needsRefresh = isRefreshing
        guard !isRefreshing, !isClosed else { return }
        isRefreshing = true
        let (program, daemon, eventLoop) = (program, daemon, eventLoop)
        let feed = NIOLoopBound(self, eventLoop: eventLoop)
        Task {
            let list = await RegionList.drawn(by: program, at: daemon)
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

    /// Removes what tells where the machine is, as far as the user may not know it any more: the daemon says what remains.
    func removeStates() {
        // What is being asked for may still have the states.
        if isRefreshing { needsRefresh = true }
        guard let list, !list.reports.isEmpty else { return }
        let bare = RegionList(regions: list.regions)
        self.list = bare
        receive(.regions(bare))
        refresh()
    }

    /// Calls a method once, over a connection of its own: the monitor's is answering.
    private func callOnce(_ call: [UInt8], _ answer: @escaping (Reply?) -> Void) {
        var connection: DaemonConnection?
        func end(with reply: Reply?) {
            guard connection != nil else { return }
            connection?.close()
            connection = nil
            answer(reply)
        }
        let timeout = eventLoop.assumeIsolated().scheduleTask(in: .nanoseconds(Int64(Self.patience * 1e9))) {
            end(with: nil)
        }
        connection = DaemonConnection(to: daemon, on: eventLoop, call: call) { input in
            timeout.cancel()
            if case .reply(let reply) = input { end(with: reply) } else { end(with: nil) }
        }
    }

    // MARK: The monitor

    private func openAnew() {
        guard let call = RegionCalls.monitor(MonitorRequest(name: Self.name), for: program) else { return }
        open(call)
    }

    private func open(_ call: [UInt8], opened: @escaping (CallGateway.Answer?) -> Void = { _ in }) {
        guard !isClosed else { return }
        retry?.cancel()
        connection?.close()
        var opened: ((CallGateway.Answer?) -> Void)? = opened
        connection = DaemonConnection(to: daemon, on: eventLoop, call: call) { [weak self] input in
            guard let self else { return }
            switch input {
            case .ended, .update:
                opened?(CallGateway.Answer(failureOf: nil))
                opened = nil
                tryLater()
            case .reply(let reply):
                let isFirst = opened != nil
                opened?(CallGateway.Answer(failureOf: reply))
                opened = nil
                apply(reply, isFirst: isFirst)
            }
        }
    }

    private func apply(_ reply: Reply, isFirst: Bool) {
        guard reply.error == nil else {
            connection?.close()
            connection = nil
            // Nothing is drawn yet, or another service of this user has it.
            return reply.error == LocationInterface.Failure.noSuchMonitor ? refresh() : tryLater()
        }
        if isFirst { refresh() }
        guard let report = (try? reply.parameters(as: MonitorReply.self))?.region else { return }
        receive(.report(report))
        refresh()
    }

    private func tryLater() {
        connection?.close()
        connection = nil
        guard !isClosed else { return }
        retry = eventLoop.assumeIsolated().scheduleTask(in: .nanoseconds(Int64(Self.pause * 1e9))) { [weak self] in
            self?.openAnew()
        }
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
    fileprivate static func drawn(by program: ServedProgram, at daemon: String) async -> RegionList? {
        let reply = try? await DaemonCall.reply(
            to: LocationInterface.Method.listMonitors, NoParameters(), for: program, at: daemon,
            within: RegionFeed.patience)
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
        let program = ServedProgram(uid: uid, label: "web page")
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
