import Glibc
@_spi(Programs) import LocationModel
@_spi(Programs) import SystemSupport

/// The work of the `provider-reader` thread: connect, call, deliver positions, and retry until woken.
///
/// Ownership: everything here is created, used and destroyed on that thread; only the wakers, the heartbeat and the
/// closures are shared.
struct ProviderReader {
    /// Seconds between two calls that tell another accuracy, at least: other programs decide how often it changes.
    private static let pace = 1.0

    let name: String
    let endpoint: ProviderEndpoint
    let waker: Waker
    let heartbeat: Heartbeat
    /// Woken when ``desiredAccuracy`` may have changed.
    let news: Waker?
    let desiredAccuracy: () -> Double?
    let count: (_ kind: String, _ number: Int) -> Void
    let deliver: (SourceEvent) -> Void

    private var now: BootInstant { MachineClock.now }

    func run() {
        var log = SourceLog(count: count, deliver: deliver)
        log.begin()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
        defer { buffer.deallocate() }
        while !waker.isWoken {
            guard let failure = converse(&log, buffer) else { return }
            let wait = log.fail(reason: failure.reason(for: endpoint), jitter: .random(in: 0..<1))
            _ = heartbeat.wait(waker, for: -1, events: 0, seconds: wait)
        }
    }

    /// Calls the provider and delivers its positions until the connection has to be closed.
    /// - Returns: why, or `nil` if woken.
    private func converse(_ log: inout SourceLog, _ buffer: UnsafeMutableRawBufferPointer) -> ProviderFailure? {
        do throws(ProviderFailure) {
            var (told, begun) = (desiredAccuracy(), now)
            var socket = try call(told)
            var session = ProviderSession(source: name, method: endpoint.method, at: now)
            while true {
                var next = session.deadline
                if desiredAccuracy() != told {
                    let due = begun.advanced(bySeconds: Self.pace)
                    next = next.map { min($0, due) } ?? due
                    if now.seconds(since: begun) >= Self.pace {
                        // The former connection lasts until the next is there, so that the provider does not rest in
                        // between.
                        (told, begun) = (desiredAccuracy(), now)
                        socket = try call(told)
                        session = ProviderSession(source: name, method: endpoint.method, at: now)
                        next = session.deadline
                    }
                }
                let patience = next.map { max(0, $0.seconds(since: now)) } ?? 86_400
                switch heartbeat.wait(waker, for: socket.readiness, events: POLLIN, seconds: patience) {
                case .woken: return nil
                case .timedOut: break
                case .ready:
                    news?.drain()
                    switch socket.read(into: buffer) {
                    case .nothingNow: break
                    case .end: throw .ended
                    case .bytes(let size):
                        try perform(session.receive(UnsafeRawBufferPointer(rebasing: buffer[..<size]), at: now), &log)
                    }
                }
                try perform(session.advance(to: now), &log)
            }
        } catch {
            return error
        }
    }

    private func call(_ accuracy: Double?) throws(ProviderFailure) -> ProviderSocket {
        let socket = try ProviderSocket.connect(to: endpoint, news: news?.descriptor)
        guard socket.send(ProviderSession.call(desiredAccuracy: accuracy)) else { throw .ended }
        return socket
    }

    private func perform(_ steps: [ProviderSession.Step], _ log: inout SourceLog) throws(ProviderFailure) {
        for step in steps {
            switch step {
            case .emit(let event): log.emit(event)
            case .count(let kind): count(kind, 1)
            case .note(let kind, let example): log.note(kind, example: example, at: now)
            case .fail(let failure): throw failure
            }
        }
    }
}
