import Glibc
@_spi(Programs) import LocationModel
@_spi(Programs) import SystemSupport

/// The work of the `gps-reader` thread: connect, exchange messages, deliver events, and retry until woken.
///
/// Ownership: everything here is created, used and destroyed on that thread; only the waker, the heartbeat and the
/// closures are shared.
final class Reader {
    private let name: String
    private let endpoint: GPSDEndpoint
    private let silenceTimeout: Double
    private let waker: Waker
    private let heartbeat: Heartbeat
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    private var link: GPSDLink

    init(
        name: String, endpoint: GPSDEndpoint, silenceTimeout: Double, waker: Waker, heartbeat: Heartbeat,
        count: @escaping @Sendable (String) -> Void, needsSatellites: @escaping @Sendable () -> Bool,
        deliver: @escaping @Sendable (SourceEvent) -> Void
    ) {
        self.name = name
        self.endpoint = endpoint
        self.silenceTimeout = silenceTimeout
        self.waker = waker
        self.heartbeat = heartbeat
        link = GPSDLink(endpoint: endpoint, count: count, needsSatellites: needsSatellites, deliver: deliver)
    }

    deinit {
        buffer.deallocate()
    }

    private var now: BootInstant { MachineClock.now }

    func run() {
        link.begin()
        while !waker.isWoken {
            switch GPSDSocket.connect(to: endpoint, waker: waker, heartbeat: heartbeat) {
            case .woken: return
            case .failed(let failure): pause(after: failure)
            case .connected(let socket):
                guard let failure = runConversation(over: socket) else { return }
                pause(after: failure)
            }
        }
    }

    /// Exchanges messages until the connection has to be closed.
    /// - Returns: why, or `nil` if woken.
    private func runConversation(over socket: borrowing GPSDSocket) -> ConnectionFailure? {
        var conversation = Conversation(
            source: name, endpoint: endpoint, silenceTimeout: silenceTimeout, at: now)
        var splitter = LineSplitter.gpsd()
        while true {
            let patience = conversation.deadline.seconds(since: now)
            guard patience > 0 else { return conversation.failureAtDeadline }
            switch heartbeat.wait(waker, for: socket.descriptor, events: POLLIN, seconds: patience) {
            case .woken: return nil
            case .timedOut: continue
            case .ready: break
            }
            switch socket.read(into: buffer) {
            case .nothingNow: continue
            case .end: return conversation.failureAtEnd
            case .bytes(let size):
                let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<size])
                let failure = link.receive(bytes, &splitter, &conversation, at: now) { socket.send($0) }
                if let failure { return failure }
            }
        }
    }

    private func pause(after failure: ConnectionFailure) {
        let wait = link.fail(failure, jitter: Double.random(in: 0..<1))
        if wait > 0 { _ = heartbeat.wait(waker, for: -1, events: 0, seconds: wait) }
    }
}
