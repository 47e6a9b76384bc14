import DBus
import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import Synchronization
@_spi(Programs) package import SystemSupport

/// The agent of a session: asks the person at the screen about requests for authorization, by the desktop's
/// notifications.
///
/// Ownership: the bus and the questions belong to the thread that calls ``run(until:)``; what comes from the daemon
/// waits in a queue, and wakes it.
package struct DesktopAgent: Sendable {
    /// Why it has ended.
    package enum End: Sendable, Equatable {
        /// It was asked to.
        case woken
        /// Another agent serves the session.
        case alreadyRunning
        /// The session's bus cannot be used; with the reason in words.
        case noBus(String)
        case noResources
    }

    private let daemon, bus: String
    private let texts: Texts
    private let uid: UInt32
    private let showsUse: Bool

    /// - Parameters:
    ///   - daemon: its socket for everyone.
    ///   - bus: the address of the session's bus.
    ///   - applications: what the session calls applications.
    ///   - showsUse: whether the person is told when programs use the position for the first time on a day.
    package init(
        daemon: String, bus: String, language: Language, applications: ApplicationNames, showsUse: Bool = false,
        uid: UInt32 = getuid()
    ) {
        self.daemon = daemon
        self.bus = bus
        texts = Texts(language, applicationName: applications.name(of:))
        self.uid = uid
        self.showsUse = showsUse
    }

    /// Serves until woken, or until the session's bus ends.
    package func run(until waker: Waker) -> End {
        guard let inbox = Inbox() else { return .noResources }
        let follower = RequestFollower(path: daemon) { inbox.post($0) }
        do throws(BusFailure) {
            var server = try NotificationServer(address: bus)
            try server.begin()
            var desk = QuestionDesk(texts, uid: uid, showsUse: showsUse)
            var following: LastingCall<RequestsReply>?
            defer { following?.close() }
            while true {
                for event in try server.receive() {
                    if case .named(let isOwner) = event {
                        guard isOwner else { return .alreadyRunning }
                        following = follower.start()
                        guard following != nil else { return .noResources }
                    }
                    try perform(steps(for: event, &desk), on: &server, follower)
                }
                for event in inbox.takeAll() {
                    switch event {
                    case .requests(let reply):
                        try perform(desk.apply(reply, at: MachineClock.now), on: &server, follower)
                    case .outcome(let outcome):
                        try perform(desk.apply(outcome, at: MachineClock.now), on: &server, follower)
                    }
                }
                try perform(desk.advance(to: MachineClock.now), on: &server, follower)
                guard waitForInput(server, inbox, waker, until: desk.deadline) else {
                    try perform(desk.apply(nil, at: MachineClock.now), on: &server, follower)
                    return .woken
                }
            }
        } catch {
            switch error {
            case .noLibrary: return .noBus("install libsystemd0")
            case .failed(let reason): return .noBus(reason)
            }
        }
    }

    private func steps(for event: NotificationServer.Event, _ desk: inout QuestionDesk) -> [QuestionDesk.Step] {
        let now = MachineClock.now
        return switch event {
        case .changed(let capabilities, let server): desk.apply(capabilities: capabilities, server: server, at: now)
        case .answered(_, let key): Answer(rawValue: key).map { desk.apply($0, at: now) } ?? []
        case .closed: desk.noteClosed(at: now)
        case .named: []
        }
    }

    private func perform(
        _ steps: [QuestionDesk.Step], on server: inout NotificationServer, _ follower: RequestFollower
    ) throws(BusFailure) {
        for step in steps {
            switch step {
            case .show(let text, let answers, let longest):
                try server.show(text, actions: answers.map { ($0.rawValue, texts.button($0, longest: longest)) })
            case .offer(let text, let answer):
                try server.show(text, actions: [(answer.rawValue, texts.button(answer, longest: nil))], stays: false)
            case .tell(let text): try server.showNotice(text)
            case .withdraw: try server.withdraw()
            case .decide(let parameters): follower.decide(parameters)
            }
        }
    }

    /// - Returns: false if woken.
    private func waitForInput(
        _ server: borrowing NotificationServer, _ inbox: Inbox, _ waker: Waker, until deadline: BootInstant?
    ) -> Bool {
        var entries = [
            pollfd(fd: waker.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: inbox.waker.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: server.descriptor, events: Int16(truncatingIfNeeded: server.events), revents: 0),
        ]
        var milliseconds = Int32(-1)
        // The library has a deadline only while it connects.
        let patience = min(server.patience, deadline.map { max(0, $0.seconds(since: MachineClock.now)) } ?? .infinity)
        if patience < 3600 { milliseconds = Int32((patience * 1000).rounded(.up)) }
        _ = poll(&entries, 3, milliseconds)
        return entries[0].revents == 0
    }

    /// What has come from the daemon, for the agent's thread.
    private final class Inbox: Sendable {
        let waker: Waker
        private let events = Mutex<[RequestFollower.Event]>([])

        init?() {
            guard let waker = Waker() else { return nil }
            self.waker = waker
        }

        func post(_ event: RequestFollower.Event) {
            events.withLock { $0.append(event) }
            waker.wake()
        }

        func takeAll() -> [RequestFollower.Event] {
            waker.drain()
            return events.withLock { events in
                defer { events = [] }
                return events
            }
        }
    }
}
