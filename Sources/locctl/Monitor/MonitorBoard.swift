import Synchronization
import SystemSupport

/// Where the monitor's threads leave what they learn for the one that draws.
///
/// Ownership: the state is changed by the feed's thread and the requests by the signals' thread; the drawing thread takes
/// both. A lock over values, because each holds it for no longer than a copy takes; nothing piles up while the terminal
/// does not take what is written.
final class MonitorBoard: Sendable {
    /// What the terminal or another process asks of the monitor.
    struct Requests: OptionSet {
        let rawValue: Int
        static let end = Requests(rawValue: 1)
        static let redraw = Requests(rawValue: 2)
        static let suspend = Requests(rawValue: 4)
    }

    let waker: Waker
    private let state = Mutex(MonitorState())
    private let requests = Mutex<Requests>([])

    init(waker: Waker) {
        self.waker = waker
    }

    func change(_ body: (inout sending MonitorState) -> Void) {
        state.withLock { body(&$0) }
        waker.wake()
    }

    func request(_ request: Requests) {
        requests.withLock { _ = $0.insert(request) }
        waker.wake()
    }

    var current: MonitorState { state.withLock { $0 } }

    func takeRequests() -> Requests {
        requests.withLock { requests in
            defer { requests = [] }
            return requests
        }
    }
}
