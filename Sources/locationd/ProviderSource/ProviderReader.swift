import Glibc
@_spi(Programs) import LocationModel
@_spi(Programs) import SystemSupport

/// The work of the `provider-reader` thread: connect, call, deliver positions, and retry until woken.
///
/// Ownership: everything here is created, used and destroyed on that thread; only the waker, the heartbeat and the two
/// closures are shared.
struct ProviderReader {
    let name: String
    let endpoint: ProviderEndpoint
    let waker: Waker
    let heartbeat: Heartbeat
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
            let socket = try ProviderSocket.connect(to: endpoint)
            guard socket.send(ProviderSession.call()) else { throw .ended }
            var session = ProviderSession(source: name, method: endpoint.method, at: now)
            while true {
                let patience = session.deadline.map { max(0, $0.seconds(since: now)) } ?? 86_400
                switch heartbeat.wait(waker, for: socket.descriptor, events: POLLIN, seconds: patience) {
                case .woken: return nil
                case .timedOut: break
                case .ready:
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
