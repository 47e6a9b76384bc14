import LocationInterface
import LocationKit
import SystemClock
import SystemSupport
import Varlink

/// What the daemon tells the monitor: a watch of everything, and who is connected every other second. It runs on a
/// thread of its own until the program ends, and comes back to a daemon that went.
struct MonitorFeed: Sendable {
    let options: MonitorOptions
    let board: MonitorBoard

    /// What the feed needs to know of the command line.
    struct MonitorOptions: Sendable {
        /// The daemon's socket; `nil` for the best one that the caller may use.
        let socket: String?
        let passive: Bool
    }

    /// Seconds between two tries to reach the daemon.
    private static let pause = 1.0
    /// Seconds between two looks at the clients.
    private static let clientInterval = 2.0

    func run() {
        guard let waker = Waker() else {
            return board.change { $0.lose("no descriptor is left", at: MachineClock.now) }
        }
        while true {
            do throws(LocationError) {
                try follow(waker)
            } catch {
                let reason = "\(error)"
                board.change { $0.lose(reason, at: MachineClock.now) }
            }
            _ = waker.wait(for: -1, events: 0, seconds: Self.pause)
        }
    }

    /// Returns when the daemon has said its last word.
    private func follow(_ waker: Waker) throws(LocationError) {
        // Found anew each time: after a restart another one may be open to the caller.
        let path = options.socket ?? SocketPath.mostPrivileged
        let connection = try VarlinkConnection(path: path, waker: waker, seconds: 5, patience: 20)
        var request = WatchRequest()
        (request.satellites, request.heading) = (true, true)
        request.passive = options.passive
        request.purpose = "locctl monitor"
        try connection.send(LocationInterface.Method.watch, request, more: true)
        var clients = ClientPoll(path: path, waker: waker)
        var next = MachineClock.now
        while true {
            let left = clients.isOver ? .infinity : next.seconds(since: MachineClock.now)
            if left <= 0 {
                let answer = clients.ask()
                board.change { $0.clients = answer ?? $0.clients }
                next = MachineClock.now.advanced(bySeconds: Self.clientInterval)
                continue
            }
            guard let reply = try connection.nextReply(seconds: left) else { continue }
            let update = try reply.answer(as: WatchReply.self)
            board.change { $0.take(update, at: MachineClock.now) }
            guard reply.continues else {
                throw .daemonNotRunning(path: path, reason: "the service is \(update.status?.reason ?? "gone")")
            }
        }
    }
}
