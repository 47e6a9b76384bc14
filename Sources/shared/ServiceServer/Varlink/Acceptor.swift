import CLinux
import Glibc
import NIOCore
import Synchronization
@_spi(Programs) import SystemSupport

/// Accepts connections on its own thread, and closes those of a user who connects too often before they cost the event
/// loop anything. So one user's burst of connections does not delay others in the sockets' backlogs, which all users
/// share. Exempt users' connections are accepted only as fast as the event loop notices closed ones; otherwise
/// connections of a burst that are closed already would use up the limit of all. The same holds for users who connect
/// for others, fewer at a time, because their connections wait for their turns at the event loop.
///
/// Ownership: the sockets belong to the thread until it has ended. The state that others change is behind a lock.
final class Acceptor: Sendable {
    /// A connection that was accepted; its receiver closes the descriptor.
    struct Arrival: Sendable {
        let descriptor: Int32
        let caller: UserLimits.Caller
        /// The index of the socket that accepted it.
        let socket: Int
    }

    private struct State {
        var rate: RequestRate
        var isPaused = false
        /// Connections of exempt users that the event loop has not yet registered.
        var unregistered = 0
        /// The same of users who connect for others.
        var unregisteredForOthers = 0

        var mayAccept: Bool {
            !isPaused && unregistered < Acceptor.unregisteredLimit
                && unregisteredForOthers < Acceptor.unregisteredLimitForOthers
        }
        /// Called on the thread once it has stopped accepting.
        var paused: (@Sendable () -> Void)?
        var isEnding = false
        var ended: (@Sendable () -> Void)?
    }

    private let sockets: [Int32]
    private let waker: Waker
    private let user: @Sendable (Int32) -> UInt32?
    private let isExempt: @Sendable (UInt32) -> Bool
    private let connectsForOthers: @Sendable (UInt32) -> Bool
    private let deliver: @Sendable (Arrival, _ registered: @escaping @Sendable () -> Void) -> Void
    private let refused: @Sendable (Int) -> Void
    private let state: Mutex<State>

    /// Connections accepted between two checks of whether the thread is to end.
    private static let batch = 4096
    /// The most connections of exempt users that may wait for the event loop.
    private static let unregisteredLimit = 64
    /// The same limit for users who connect for others. While such connections wait for their turns, the thread accepts
    /// no connection at all.
    private static let unregisteredLimitForOthers = 16
    /// After this many refusals in one round the thread sleeps, so that a burst uses only a part of one processor.
    private static let tolerated = 16
    private static let refusalPause = 0.002
    /// The pause while no descriptor is left, seconds.
    private static let shortage = 0.05

    /// - Parameters:
    ///   - sockets: non-blocking listening sockets; closed when the thread ends.
    ///   - user: the user of a connection; `nil` closes the connection.
    ///   - connectsForOthers: whether a user's connections are exempt from the limits of one user.
    ///   - deliver: called on the thread, like `refused`; calls `registered` once the event loop has registered the
    ///     connection.
    ///   - refused: called with the number of connections that were closed because their users connect too often.
    /// - Returns: `nil` if no thread or no descriptor is left; the sockets are closed then.
    init?(
        _ sockets: [Int32], connectionsPerSecond: Double, user: @escaping @Sendable (Int32) -> UInt32?,
        isExempt: @escaping @Sendable (UInt32) -> Bool,
        connectsForOthers: @escaping @Sendable (UInt32) -> Bool = { _ in false },
        deliver: @escaping @Sendable (Arrival, _ registered: @escaping @Sendable () -> Void) -> Void,
        refused: @escaping @Sendable (Int) -> Void
    ) {
        guard let waker = Waker() else {
            for socket in sockets { close(socket) }
            return nil
        }
        self.sockets = sockets
        self.waker = waker
        self.user = user
        self.isExempt = isExempt
        self.connectsForOthers = connectsForOthers
        self.deliver = deliver
        self.refused = refused
        state = Mutex(State(rate: RequestRate(limit: Self.allowed(connectionsPerSecond))))
        guard DetachedThread.start(named: "acceptor", { self.run() }) else {
            for socket in sockets { close(socket) }
            return nil
        }
    }

    /// The accept rate is a little higher than the served rate, so that the connections above the limit can get an
    /// error reply.
    private static func allowed(_ connectionsPerSecond: Double) -> Double {
        connectionsPerSecond + Double(Admission.refusedAtOncePerUser)
    }

    func setLimit(connectionsPerSecond: Double) {
        state.withLock { $0.rate.limit = Self.allowed(connectionsPerSecond) }
    }

    /// Stops accepting; new connections wait in the sockets' backlogs.
    /// - Parameter paused: called on the thread after all connections accepted before have been delivered.
    func pause(_ paused: @escaping @Sendable () -> Void) {
        state.withLock { ($0.isPaused, $0.paused) = (true, paused) }
        waker.wake()
    }

    func resume() {
        state.withLock { $0.isPaused = false }
        waker.wake()
    }

    /// Returns when the thread has ended and the sockets are closed.
    func end() async {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                state.isEnding = true
                state.ended = { continuation.resume() }
            }
            waker.wake()
        }
    }

    // MARK: The thread

    private func run() {
        while true {
            waker.drain()
            let (isEnding, mayAccept, paused) = state.withLock { state in
                defer { state.paused = nil }
                return (state.isEnding, state.mayAccept, state.paused)
            }
            paused?()
            if isEnding { break }
            guard let ready = wait(mayAccept: mayAccept) else { continue }
            let outcome = ready.reduce(into: Outcome()) { accept(on: $1, &$0) }
            if outcome.refused > 0 { refused(outcome.refused) }
            if outcome.isShort {
                sleep(Self.shortage)
            } else if outcome.refused >= Self.tolerated {
                sleep(Self.refusalPause)
            }
        }
        for socket in sockets { close(socket) }
        let ended = state.withLock { state in
            defer { state.ended = nil }
            return state.ended
        }
        ended?()
    }

    /// - Returns: the sockets with waiting connections; `nil` if the thread was woken.
    private func wait(mayAccept: Bool) -> [Int]? {
        var entries = [pollfd(fd: waker.descriptor, events: Int16(POLLIN), revents: 0)]
        if mayAccept { entries += sockets.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) } }
        guard poll(&entries, nfds_t(entries.count), -1) > 0, entries[0].revents == 0 else { return nil }
        return entries.indices.dropFirst().filter { entries[$0].revents != 0 }.map { $0 - 1 }
    }

    /// Sleeps until the time is over or the thread is woken.
    private func sleep(_ seconds: Double) {
        var entry = pollfd(fd: waker.descriptor, events: Int16(POLLIN), revents: 0)
        poll(&entry, 1, Int32(seconds * 1000))
    }

    private struct Outcome {
        var refused = 0
        /// No descriptor, or no memory, was left for a connection.
        var isShort = false
    }

    private func accept(on index: Int, _ outcome: inout Outcome) {
        for _ in 0..<Self.batch {
            let descriptor = clinux_accept(sockets[index])
            guard descriptor >= 0 else {
                switch errno {
                case EAGAIN: return
                // The peer has closed the connection already.
                case EINTR, ECONNABORTED: continue
                default:
                    outcome.isShort = true
                    return
                }
            }
            guard let uid = user(descriptor) else {
                close(descriptor)
                continue
            }
            let isExempt = isExempt(uid)
            let caller = UserLimits.Caller(
                uid: uid, isExempt: isExempt, connectsForOthers: !isExempt && connectsForOthers(uid))
            let isLimited = !caller.isExempt && !caller.connectsForOthers
            guard !isLimited || state.withLock({ $0.rate.spend(uid: uid, at: .now()) }) else {
                close(descriptor)
                outcome.refused += 1
                continue
            }
            let arrival = Arrival(descriptor: descriptor, caller: caller, socket: index)
            guard !isLimited else {
                deliver(arrival) {}
                continue
            }
            let mayAccept = state.withLock { state in
                if isExempt { state.unregistered += 1 } else { state.unregisteredForOthers += 1 }
                return state.mayAccept
            }
            deliver(arrival) { self.connectionRegistered(isExempt: isExempt) }
            if !mayAccept { return }
        }
    }

    private func connectionRegistered(isExempt: Bool) {
        let mayAcceptAgain = state.withLock { state in
            guard isExempt else {
                state.unregisteredForOthers -= 1
                return state.unregisteredForOthers == Self.unregisteredLimitForOthers / 2
            }
            state.unregistered -= 1
            return state.unregistered == Self.unregisteredLimit / 2
        }
        if mayAcceptAgain { waker.wake() }
    }
}
