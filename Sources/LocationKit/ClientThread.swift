package import LocationModel
import Machine

/// The one thread on which this process speaks with the service; there is none while nothing is asked.
package final class ClientThread: Sendable {
    package static let shared = ClientThread()

    /// Runs the job on the thread, after those given before; starts the thread if there is none.
    ///
    /// - Returns: false if the system gives no thread or descriptor; the job does not run then.
    package func perform(_ job: @escaping @Sendable (ClientLoop) -> Void) -> Bool {
        false
    }

    /// True on the thread itself.
    package var isCurrent: Bool { false }
}

/// What can be done on the client thread, and nowhere else: connect, and wait.
package final class ClientLoop {
    package struct TimerID: Hashable {
        let number: Int
    }

    package var now: BootInstant { MachineClock.now }

    /// Runs `body` at that moment or soon after it.
    package func schedule(at moment: BootInstant, _ body: @escaping (ClientLoop) -> Void) -> TimerID {
        TimerID(number: 0)
    }

    package func cancel(_ timer: TimerID) {}

    /// Connects; what comes is told to `receive` on this thread, never before this returns.
    ///
    /// - Throws: `daemonNotRunning`, or `unauthorized` if the path is closed to this user.
    package func connect(
        to path: String, receive: @escaping (ClientConnection.Input) -> Void
    ) throws(LocationError) -> ClientConnection {
        throw .daemonNotRunning(path: path, reason: "")
    }
}
