import CMosquitto
import Synchronization
@_spi(Programs) import SystemSupport

/// A client of one broker, which connects until it is asked to end, with growing pauses.
///
/// It keeps no message: what is published while there is no connection is dropped, and so is what the broker has not
/// acknowledged when a connection ends. The caller publishes it again.
///
/// Ownership: libmosquitto's client, its callbacks' reports and the pause belong to one thread of this client's own,
/// ``BrokerLoop``. Commands reach it through the lock; events leave it through an asynchronous sequence, which any
/// thread may add to.
package final class BrokerClient: Sendable {
    /// One event after the other, to be read by one loop.
    package let events = BrokerEvents()
    private let commands: BrokerCommands

    /// Once for the process, whichever thread comes first: the library counts its users without a lock.
    private static let library = mosquitto_lib_init()

    /// Starts to connect.
    ///
    /// - Parameters:
    ///   - jitter: draws 0..<1 for the pauses between attempts.
    ///   - will: called at each attempt, for the message that the broker publishes when the connection breaks.
    /// - Returns: `nil` if no thread or descriptor is available.
    package init?(
        _ settings: BrokerSettings, jitter: @escaping @Sendable () -> Double = { .random(in: 0..<1) },
        will: @escaping @Sendable () -> BrokerMessage? = { nil }
    ) {
        guard let waker = Waker() else { return nil }
        let commands = BrokerCommands(waker)
        self.commands = commands
        _ = Self.library
        let isStarted = DetachedThread.start(named: "broker") { [events] in
            BrokerLoop(settings, commands, jitter: jitter, will: will) { events.append($0) }.run()
            events.finish()
        }
        guard isStarted else { return nil }
    }

    deinit { commands.stop() }

    /// Publishes a message with QoS 1, if the connection of this number is still there.
    ///
    /// - Parameter id: by which the events name the message.
    package func publish(_ message: BrokerMessage, id: Int64, connection: Int) {
        commands.append(BrokerCommands.Publication(message: message, id: id, connection: connection))
    }

    /// Says good-bye to the broker, which does not publish the last will then, and ends.
    package func stop() { commands.stop() }

    /// Ends the events at once, for a caller who does not wait for a thread that is blocked.
    package func endEvents() { events.finish() }
}

/// What the thread has to do next.
final class BrokerCommands: Sendable {
    struct Publication {
        let message: BrokerMessage
        let id: Int64
        let connection: Int
    }

    private struct State {
        var publications: [Publication] = []
        var isStopped = false
    }

    let waker: Waker
    private let state = Mutex(State())

    init(_ waker: Waker) { self.waker = waker }

    func append(_ publication: Publication) {
        state.withLock { $0.publications.append(publication) }
        waker.wake()
    }

    func stop() {
        state.withLock { $0.isStopped = true }
        waker.wake()
    }

    var isStopped: Bool { state.withLock { $0.isStopped } }

    /// All publications since the last call.
    func removeAll() -> [Publication] {
        waker.drain()
        return state.withLock { state in
            defer { state.publications = [] }
            return state.publications
        }
    }
}
