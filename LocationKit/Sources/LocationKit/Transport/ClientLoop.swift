import Glibc
@_spi(Programs) public import LocationModel
@_spi(Programs) import SystemSupport

/// The event loop of the client thread: connections and timers. Only the client thread creates a ClientLoop, so code
/// that has one runs on that thread.
@_spi(Programs) public final class ClientLoop {
    @_spi(Programs) public struct TimerID: Hashable {
        let number: Int
    }

    private struct Timer {
        /// `nil` for a timer that runs before any input.
        let moment: BootInstant?
        let body: (ClientLoop) -> Void
    }

    private var connections: [ClientConnection] = []
    /// The connections that the last poll found ready.
    private var ready: [(connection: ClientConnection, events: Int16)] = []
    /// When that poll began.
    private var polledAt: BootInstant
    private var timers: [TimerID: Timer] = [:]
    private var lastTimer = 0
    private let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    private let clock: () -> BootInstant

    init(clock: @escaping () -> BootInstant = { MachineClock.now }) {
        self.clock = clock
        polledAt = clock()
    }

    deinit {
        input.deallocate()
    }

    @_spi(Programs) public var now: BootInstant { clock() }

    /// Runs `body` at that moment or soon after it, once the input that had arrived by then is handled.
    @_spi(Programs) public func schedule(at moment: BootInstant, _ body: @escaping (ClientLoop) -> Void) -> TimerID {
        add(moment, body)
    }

    /// Runs `body` before any further input is handled.
    @_spi(Programs) public func scheduleBeforeInput(_ body: @escaping (ClientLoop) -> Void) -> TimerID {
        add(nil, body)
    }

    private func add(_ moment: BootInstant?, _ body: @escaping (ClientLoop) -> Void) -> TimerID {
        lastTimer += 1
        let timer = TimerID(number: lastTimer)
        timers[timer] = Timer(moment: moment, body: body)
        return timer
    }

    @_spi(Programs) public func cancel(_ timer: TimerID) {
        timers[timer] = nil
    }

    /// Connects. `receive` is called with each input on this thread, never before this returns.
    ///
    /// - Throws: `daemonNotRunning`, or `unauthorized` if this user has no access to the socket.
    @_spi(Programs) public func connect(
        to path: String, receive: @escaping (ClientConnection.Input) -> Void
    ) throws(LocationError) -> ClientConnection {
        let connection = ClientConnection(try UnixStream.unconnected(to: path), receive: receive)
        try connection.connect(self)
        connections.append(connection)
        return connection
    }

    /// Runs the timers that were due at the last poll: a reply that had arrived by then is handled before its time-out,
    /// however long this thread was delayed. Timers that became due later wait for the next turn.
    func runTimers() {
        run { $0.moment.map { $0 <= polledAt } ?? false }
    }

    /// Runs the timers that precede input; what they add waits for the next turn.
    func runBeforeInput() {
        run { $0.moment == nil }
    }

    private func run(_ isDue: (Timer) -> Bool) {
        let due = timers.filter { isDue($0.value) }
            .sorted { ($0.value.moment ?? polledAt, $0.key.number) < ($1.value.moment ?? polledAt, $1.key.number) }
        for (timer, entry) in due where timers.removeValue(forKey: timer) != nil { entry.body(self) }
    }

    /// Handles the events of each connection that is ready.
    func runConnections() {
        let turn = ready
        ready = []
        for (connection, events) in turn { connection.handleEvents(events, input) }
    }

    /// Waits for the waker, the next timer or a connection.
    ///
    /// - Returns: false immediately if there is neither a timer nor a connection.
    func wait(for waker: Waker) -> Bool {
        connections.removeAll { !$0.isOpen }
        polledAt = now
        guard !connections.isEmpty || !timers.isEmpty else { return false }
        var entries = [pollfd(fd: waker.descriptor, events: Int16(POLLIN), revents: 0)]
        entries += connections.map(\.interest)
        guard poll(&entries, nfds_t(entries.count), pollTimeout) > 0 else { return true }
        ready = zip(connections, entries.dropFirst()).compactMap { $1.revents == 0 ? nil : ($0, $1.revents) }
        return true
    }

    /// Milliseconds to the next timer. `poll` does not count the time that the machine is suspended, hence at most a
    /// minute.
    private var pollTimeout: Int32 {
        guard let next = timers.values.map({ $0.moment ?? polledAt }).min() else { return -1 }
        return Int32(max(0, min(60_000, (next.seconds(since: now) * 1000).rounded(.up))))
    }
}
