import LocationInterface
import LocationModel
import NIOCore
import ServedPrograms
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
    private static let name = "locationd-web"
    /// Seconds until the daemon is tried again.
    private static let pause = 5.0
    /// The longest time that one answer may take.
    private static let patience = TimeAmount.seconds(10)

    private let program: ServedProgram
    private let daemon: String
    private let eventLoop: any EventLoop
    private let receive: (Output) -> Void
    private var connection: DaemonConnection?
    private var retry: Scheduled<Void>?
    private var isClosed = false
    /// `nil` until the daemon has answered.
    private(set) var list: RegionList?

    init(uid: UInt32, daemon: String, eventLoop: any EventLoop, receive: @escaping (Output) -> Void) {
        program = ServedProgram(uid: uid, label: "web page")
        (self.daemon, self.eventLoop, self.receive) = (daemon, eventLoop, receive)
        open(MonitorRequest(name: Self.name))
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
    /// - Parameter done: called with the daemon's error, or `nil`.
    func change(_ change: RegionChange, done: @escaping (CallGateway.Answer?) -> Void) {
        let request = ChangeRegionsParameters(name: Self.name, add: change.add, remove: change.remove)
        callOnce(LocationInterface.Method.changeRegions, request) { [weak self] reply in
            guard let self else { return }
            guard reply?.error == LocationInterface.Failure.noSuchMonitor else {
                refresh()
                return done(CallGateway.Answer(failureOf: reply))
            }
            // The first region of all.
            guard let regions = change.add, !regions.isEmpty else { return done(nil) }
            open(MonitorRequest(name: Self.name, subjects: MonitorSubjects(regions: regions)), opened: done)
        }
    }

    private func refresh() {
        callOnce(LocationInterface.Method.listMonitors, NoParameters()) { [weak self] reply in
            guard let self, let monitors = try? reply?.parameters(as: ListMonitorsReply.self).monitors else { return }
            let own = monitors.first { $0.name == Self.name }
            // A location would be older when a page is opened later; the page has another one.
            let reports = (own?.reports ?? []).map { report in
                var report = report
                report.location = nil
                return report
            }
            let list = RegionList(regions: own?.regions ?? [], reports: reports)
            self.list = list
            receive(.regions(list))
        }
    }

    /// Removes what tells where the machine is, as far as the user may not know it any more: the daemon says what remains.
    func removeStates() {
        guard var list, !list.reports.isEmpty else { return }
        list.reports = []
        self.list = list
        receive(.regions(list))
        refresh()
    }

    /// Calls a method once, over a connection of its own: the monitor's is answering.
    private func callOnce(_ method: String, _ request: some Encodable, _ answer: @escaping (Reply?) -> Void) {
        guard let call = try? MessageEncoder().call(method, ServedRequest(request: request, program: program)) else {
            return answer(nil)
        }
        var connection: DaemonConnection?
        func end(with reply: Reply?) {
            guard connection != nil else { return }
            connection?.close()
            connection = nil
            answer(reply)
        }
        let timeout = eventLoop.assumeIsolated().scheduleTask(in: Self.patience) { end(with: nil) }
        connection = DaemonConnection(to: daemon, on: eventLoop, call: call) { input in
            timeout.cancel()
            if case .reply(let reply) = input { end(with: reply) } else { end(with: nil) }
        }
    }

    // MARK: The monitor

    private func open(_ request: MonitorRequest, opened: @escaping (CallGateway.Answer?) -> Void = { _ in }) {
        guard !isClosed else { return }
        retry?.cancel()
        connection?.close()
        let served = ServedRequest(request: request, program: program)
        guard let call = try? MessageEncoder().call(LocationInterface.Method.monitor, served, more: true) else {
            return opened(nil)
        }
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
            self?.open(MonitorRequest(name: Self.name))
        }
    }
}

/// What is drawn on the map.
struct RegionList: Encodable {
    var regions: [Region] = []
    /// The state of each, as far as it is known.
    var reports: [RegionReportOnWire] = []
}

/// What a page changes.
struct RegionChange: Decodable, Sendable {
    var add: [Region]?
    var remove: [String]?
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
