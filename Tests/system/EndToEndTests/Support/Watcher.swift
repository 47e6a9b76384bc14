@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import ProgramTestSupport
import Synchronization
@_spi(Programs) import SystemSupport
import Varlink

/// A watch on one connection, which keeps every reply in the order in which it came.
final class Watcher: Sendable {
    private struct State {
        var replies: [WatchReply] = []
        var isFinal = false
        /// How the connection ended.
        var end: String?
    }

    private let state = Mutex(State())
    private let waker: Waker

    init(socket: String, _ parameters: WatchRequest) throws {
        guard let waker = Waker() else { throw Failure("no descriptor is left") }
        self.waker = waker
        let started = DetachedThread.start(named: "watcher") { [weak self] in
            do throws(LocationError) {
                let connection = try VarlinkConnection(path: socket, waker: waker)
                try connection.send(LocationInterface.Method.watch, parameters, more: true)
                while let reply = try connection.nextReply() {
                    let update = try reply.answer(as: WatchReply.self)
                    self?.note(update, isFinal: !reply.continues)
                }
                self?.end("let go")
            } catch {
                self?.end("\(error)")
            }
        }
        guard started else { throw Failure("no further thread is allowed") }
    }

    deinit { waker.wake() }

    /// Ends the watch by closing its connection, and waits until that is done.
    func close() throws {
        waker.wake()
        try waitUntil("the watch ends") { state.withLock { $0.end != nil } }
    }

    var replies: [WatchReply] { state.withLock { $0.replies } }
    var locations: [Location] { replies.compactMap(\.location?.value) }
    var statuses: [ServiceStatus] { replies.compactMap(\.status) }
    var dropped: Int { replies.reduce(0) { $0 + ($1.dropped ?? 0) } }
    /// Whether the last reply said that no more will come.
    var isFinal: Bool { state.withLock { $0.isFinal } }
    /// How the connection ended; `nil` while it lasts.
    var end: String? { state.withLock { $0.end } }

    /// Waits for a reply that fits, among those after the first so many.
    @discardableResult
    func wait(
        _ what: String, after seen: Int = 0, within seconds: Double = 30, _ fits: (WatchReply) -> Bool
    ) throws -> WatchReply {
        try waitUntil(what, within: seconds, details: { summary }) {
            if let reply = replies.dropFirst(seen).first(where: fits) { return reply }
            if let end { throw Failure("\(what): the watch has ended: \(end)") }
            return nil
        }
    }

    /// Waits for a location, among the replies after the first so many.
    @discardableResult
    func awaitLocation(after seen: Int = 0, within seconds: Double = 30) throws -> Location {
        try wait("a location comes", after: seen, within: seconds) { $0.location != nil }
            .location?.value ?? { throw Failure("a reply without its location") }()
    }

    /// Waits for a state whose reason holds some words.
    @discardableResult
    func awaitStatus(
        _ source: SourceState, _ words: String = "", after seen: Int = 0, within seconds: Double = 30
    ) throws -> ServiceStatus {
        try wait("the state is \(source.rawValue) \(words)", after: seen, within: seconds) {
            $0.status?.source == source && (words.isEmpty || $0.status?.reason?.contains(words) == true)
        }.status ?? { throw Failure("a reply without its status") }()
    }

    private var summary: String {
        statuses.suffix(5).map { "\($0.source.rawValue) \($0.reason ?? "")" }.joined(separator: " | ")
            + " and \(locations.count) locations"
    }

    private func note(_ update: WatchReply, isFinal: Bool) {
        state.withLock { state in
            state.replies.append(update)
            state.isFinal = isFinal
        }
    }

    private func end(_ words: String) { state.withLock { $0.end = words } }
}

extension Sequence<Location> {
    /// Whether every number is greater than the one before.
    var risesStrictly: Bool {
        zip(self, dropFirst()).allSatisfy { $0.sequence < $1.sequence }
    }

    /// Whether every number is one greater than the one before: nothing was lost or held back.
    var isComplete: Bool {
        zip(self, dropFirst()).allSatisfy { $0.sequence + 1 == $1.sequence }
    }
}
