import Glibc
import Machine

extension UnixStream {
    /// Sends everything, waiting for the daemon to take it, for 30 s at most.
    /// - Throws: `disconnected` if it does not any more, `cancelled` if woken.
    func send(_ bytes: [UInt8], waker: Waker) throws(LocationError) {
        let start = MachineClock.now
        var rest = bytes[...]
        while !rest.isEmpty {
            switch send(rest) {
            case .bytes(let count): rest = rest.dropFirst(count)
            case .end: throw .disconnected
            case .nothingNow:
                let left = 30 - MachineClock.now.seconds(since: start)
                guard left > 0 else { throw .disconnected }
                guard waker.wait(for: descriptor, events: POLLOUT, seconds: left) != .woken else { throw .cancelled }
            }
        }
    }

    enum Input {
        case bytes(Int)
        case end
        case timedOut
        case woken
    }

    /// Waits for bytes.
    func receive(into buffer: UnsafeMutableRawBufferPointer, waker: Waker, seconds: Double) -> Input {
        switch waker.wait(for: descriptor, events: POLLIN, seconds: seconds) {
        case .woken: return .woken
        case .timedOut: return .timedOut
        case .ready: break
        }
        switch receive(into: buffer) {
        case .bytes(let count): return .bytes(count)
        case .nothingNow: return .timedOut
        case .end: return .end
        }
    }
}
