import Synchronization

/// What happens at a client's connections, in order, to be read by one loop.
///
/// A loop that does not read, such as one whose output is full, must not make the process grow: of the messages of the
/// subscription, the newest ``limit`` bytes are kept, and older ones are dropped and counted in ``dropped``. Whoever
/// publishes decides how many there are; all other events are as many as commands, and a few for each attempt to
/// connect.
package struct BrokerEvents: AsyncSequence, Sendable {
    /// An event, or that there is a message among the unread ones.
    fileprivate enum Item: Sendable {
        case event(BrokerEvent)
        case message
    }

    /// Bytes of unread messages, with what the memory for each of them takes.
    package static let limit = 4 << 20

    private let items: AsyncStream<Item>
    private let continuation: AsyncStream<Item>.Continuation
    private let unread = UnreadMessages(limit: limit)

    init() { (items, continuation) = AsyncStream.makeStream() }

    /// Messages that were dropped so far because nobody had read them.
    package var dropped: Int { unread.dropped }

    /// Messages that wait.
    var waiting: Int { unread.count }

    /// Adds one. Any thread may call it.
    func append(_ event: BrokerEvent) {
        guard case .received(let message) = event else {
            continuation.yield(.event(event))
            return
        }
        if unread.append(message) { continuation.yield(.message) }
    }

    /// Ends the sequence, after what was added.
    func finish() { continuation.finish() }

    package struct Iterator: AsyncIteratorProtocol {
        fileprivate var items: AsyncStream<Item>.Iterator
        fileprivate let unread: UnreadMessages

        package mutating func next(isolation actor: isolated (any Actor)?) async -> BrokerEvent? {
            while let item = await items.next(isolation: actor) {
                switch item {
                case .event(let event): return event
                case .message: if let message = unread.removeFirst() { return .received(message) }
                }
            }
            return nil
        }
    }

    package func makeAsyncIterator() -> Iterator { Iterator(items: items.makeAsyncIterator(), unread: unread) }
}

/// The messages of a subscription that nobody has read yet, the newest ones.
private final class UnreadMessages: Sendable {
    private struct State {
        /// By numbers that rise, from `first` on without a gap.
        var messages: [Int: BrokerMessage] = [:]
        var first = 0
        var bytes = 0
        var dropped = 0
        /// How many the sequence will ask for.
        var announced = 0

        mutating func removeFirst() -> BrokerMessage? {
            guard let message = messages.removeValue(forKey: first) else { return nil }
            first += 1
            bytes -= UnreadMessages.bytes(of: message)
            return message
        }
    }

    private let state = Mutex(State())
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    var dropped: Int { state.withLock(\.dropped) }
    var count: Int { state.withLock(\.messages.count) }

    /// - Returns: whether the sequence has to ask for one more.
    func append(_ message: BrokerMessage) -> Bool {
        state.withLock { state in
            state.messages[state.first + state.messages.count] = message
            state.bytes += Self.bytes(of: message)
            while state.bytes > limit, state.messages.count > 1, state.removeFirst() != nil { state.dropped += 1 }
            guard state.announced < state.messages.count else { return false }
            state.announced += 1
            return true
        }
    }

    /// - Returns: `nil` if there is none.
    func removeFirst() -> BrokerMessage? {
        state.withLock { state in
            state.announced -= 1
            return state.removeFirst()
        }
    }

    private static func bytes(of message: BrokerMessage) -> Int {
        message.topic.utf8.count + message.payload.count + 256
    }
}
