@_spi(Programs) package import LocationModel

/// Which message of the outbox is published next: the newest of each topic first, so that maps are right at once, then
/// what has waited, the oldest first and at a limited rate. Pure: it knows numbers of messages alone.
///
/// A message is in flight from its publishing to the broker's acknowledgement, or to the end of the connection. What
/// is not acknowledged by then is published again over the next one.
package struct DeliverySchedule: Sendable {
    /// Messages in flight at a time, at most, as brokers allow without asking.
    package static let window = 20
    /// Of these, how many may be old ones, so that a new one need not wait.
    package static let backlogWindow = 16
    /// New messages whose numbers are remembered; more of them are found in their turn.
    static let urgentLimit = 64

    package enum Step: Sendable, Equatable {
        /// Publish this message, and then ask again.
        case publish(Int64)
        /// Read up to so many messages after this number, give them to ``addBacklog(_:)``, and ask again.
        case read(after: Int64, limit: Int)
        /// Ask again after so many seconds.
        case wait(Double)
        /// There is nothing to do until the next input.
        case rest
    }

    /// Old messages a second.
    private let rate: Double
    private var isConnected = false
    /// Whether what waits is left where it is.
    package private(set) var isPaused = false
    private var inFlight: Set<Int64> = []
    /// Published over this connection, and refused by the broker.
    private var refused: Set<Int64> = []
    private var urgent: [Int64] = []
    private var backlog: [Int64] = []
    /// Up to where the outbox was read.
    private var cursor: Int64 = 0
    private var isReadToEnd = true
    private var nextBacklogTime: BootInstant?

    /// - Parameter rate: old messages a second.
    package init(rate: Double) { self.rate = rate }

    /// The messages that the broker has not acknowledged yet.
    package var unacknowledged: Set<Int64> { inFlight }

    /// Whether nothing is in flight or waits, as far as is known.
    package var isIdle: Bool {
        inFlight.isEmpty && urgent.isEmpty && (isPaused || backlog.isEmpty && isReadToEnd)
    }

    /// A connection was made.
    ///
    /// - Parameter newest: the newest message of each topic.
    package mutating func connect(newest: [Int64]) {
        disconnect()
        isConnected = true
        if !isPaused { restart(newest) }
    }

    /// Leaves what waits until ``resume(newest:)``; what is inserted meanwhile is published.
    package mutating func pause() {
        isPaused = true
        urgent = []
    }

    /// Publishes again what waits.
    ///
    /// - Parameter newest: the newest message of each topic.
    package mutating func resume(newest: [Int64]) {
        isPaused = false
        if isConnected { restart(newest.filter { !inFlight.contains($0) && !refused.contains($0) }) }
    }

    private mutating func restart(_ newest: [Int64]) {
        urgent = newest.sorted()
        backlog = []
        (cursor, isReadToEnd) = (0, false)
    }

    /// The connection is over; whatever was in flight waits again.
    package mutating func disconnect() {
        isConnected = false
        inFlight = []
        refused = []
        urgent = []
        backlog = []
        isReadToEnd = true
        nextBacklogTime = nil
    }

    /// A message was added to the outbox. It may have been read from there, and even published, before this is called.
    package mutating func insert(_ id: Int64) {
        guard isConnected, !inFlight.contains(id), !refused.contains(id), !urgent.contains(id) else { return }
        backlog.removeAll { $0 == id }
        urgent.append(id)
        guard urgent.count > Self.urgentLimit else { return }
        // It is read again with the old ones.
        passOver(urgent.removeFirst())
    }

    /// The broker has a message, and the outbox does not any more.
    package mutating func acknowledge(_ id: Int64) { inFlight.remove(id) }

    /// The broker refuses a message: it waits for the next connection.
    package mutating func refuse(_ id: Int64) {
        inFlight.remove(id)
        refused.insert(id)
    }

    /// A message could not be read, and was not published: it is read again in its turn.
    package mutating func postpone(_ id: Int64) {
        inFlight.remove(id)
        passOver(id)
    }

    private mutating func passOver(_ id: Int64) {
        cursor = min(cursor, id - 1)
        isReadToEnd = false
    }

    /// The outbox has these messages, in rising order, after the number that ``Step/read(after:limit:)`` has named.
    package mutating func addBacklog(_ ids: [Int64]) {
        guard let last = ids.last else { return isReadToEnd = true }
        cursor = max(cursor, last)
        backlog = ids.filter { !inFlight.contains($0) && !refused.contains($0) && !urgent.contains($0) }
    }

    /// What is to be done now.
    package mutating func next(at now: BootInstant) -> Step {
        guard isConnected, inFlight.count < Self.window else { return .rest }
        if let id = urgent.popLast() {
            inFlight.insert(id)
            return .publish(id)
        }
        guard !isPaused, inFlight.count < Self.backlogWindow else { return .rest }
        if backlog.isEmpty {
            return isReadToEnd ? .rest : .read(after: cursor, limit: Self.urgentLimit)
        }
        if let next = nextBacklogTime, next > now { return .wait(next.seconds(since: now)) }
        nextBacklogTime = now.advanced(bySeconds: 1 / rate)
        let id = backlog.removeFirst()
        inFlight.insert(id)
        return .publish(id)
    }
}
