import Glibc
package import LocationModel
import SystemClock
import SystemSupport

/// What can be done on the client thread, and nowhere else: connect, and wait. There is no way to one but to be given it
/// there.
package final class ClientLoop {
    package struct TimerID: Hashable {
        let number: Int
    }

    private struct Timer {
        /// `nil` for before anything more is heard.
        let moment: BootInstant?
        let body: (ClientLoop) -> Void
    }

    private var connections: [ClientConnection] = []
    /// What the last wait found.
    private var ready: [(connection: ClientConnection, events: Int16)] = []
    /// When it began to look.
    private var looked: BootInstant
    private var timers: [TimerID: Timer] = [:]
    private var lastTimer = 0
    private let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    private let clock: () -> BootInstant

    init(clock: @escaping () -> BootInstant = { MachineClock.now }) {
        self.clock = clock
        looked = clock()
    }

    deinit {
        input.deallocate()
    }

    package var now: BootInstant { clock() }

    /// Runs `body` at that moment or soon after it, once what had come by then was heard.
    package func schedule(at moment: BootInstant, _ body: @escaping (ClientLoop) -> Void) -> TimerID {
        add(moment, body)
    }

    /// Runs `body` before anything more is heard.
    package func soon(_ body: @escaping (ClientLoop) -> Void) -> TimerID {
        add(nil, body)
    }

    private func add(_ moment: BootInstant?, _ body: @escaping (ClientLoop) -> Void) -> TimerID {
        lastTimer += 1
        let timer = TimerID(number: lastTimer)
        timers[timer] = Timer(moment: moment, body: body)
        return timer
    }

    package func cancel(_ timer: TimerID) {
        timers[timer] = nil
    }

    /// Connects; what comes is told to `receive` on this thread, never before this returns.
    ///
    /// - Throws: `daemonNotRunning`, or `unauthorized` if the path is closed to this user.
    package func connect(
        to path: String, receive: @escaping (ClientConnection.Input) -> Void
    ) throws(LocationError) -> ClientConnection {
        let connection = ClientConnection(try UnixStream.unconnected(to: path), receive: receive)
        try connection.connect(self)
        connections.append(connection)
        return connection
    }

    /// Runs what was due when the last wait looked at the connections: an answer that is there by then comes before the
    /// end of its time, however long this thread was held up. What became due since is for the next turn.
    func runTimers() {
        run { $0.moment.map { $0 <= looked } ?? false }
    }

    /// Runs what comes before the connections; what that adds is for the next turn.
    func runSoon() {
        run { $0.moment == nil }
    }

    private func run(_ isDue: (Timer) -> Bool) {
        let due = timers.filter { isDue($0.value) }
            .sorted { ($0.value.moment ?? looked, $0.key.number) < ($1.value.moment ?? looked, $1.key.number) }
        for (timer, entry) in due where timers.removeValue(forKey: timer) != nil { entry.body(self) }
    }

    /// Lets each connection that can have its turn.
    func runConnections() {
        let turn = ready
        ready = []
        for (connection, events) in turn { connection.turn(events, input) }
    }

    /// Waits for the waker, the next timer or a connection.
    ///
    /// - Returns: false at once if there is neither timer nor connection.
    func wait(for waker: Waker) -> Bool {
        connections.removeAll { !$0.isOpen }
        looked = now
        guard !connections.isEmpty || !timers.isEmpty else { return false }
        var entries = [pollfd(fd: waker.descriptor, events: Int16(POLLIN), revents: 0)]
        entries += connections.map(\.interest)
        guard poll(&entries, nfds_t(entries.count), patience) > 0 else { return true }
        ready = zip(connections, entries.dropFirst()).compactMap { $1.revents == 0 ? nil : ($0, $1.revents) }
        return true
    }

    /// Milliseconds to the next timer. `poll` does not count the time that the machine sleeps, hence no longer than a
    /// minute.
    private var patience: Int32 {
        guard let next = timers.values.map({ $0.moment ?? looked }).min() else { return -1 }
        return Int32(max(0, min(60_000, (next.seconds(since: now) * 1000).rounded(.up))))
    }
}
