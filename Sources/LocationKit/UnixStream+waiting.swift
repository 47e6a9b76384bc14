import Glibc
import SystemClock
import SystemSupport

extension UnixStream {
    /// Seconds between two tries to connect.
    static var pause: Double { 0.02 }

    /// - Parameter seconds: how long to wait for a daemon that has more callers than it takes. No event tells when it
    ///   takes one, hence the tries.
    /// - Throws: `daemonNotRunning`, `unauthorized` if the path is closed to this user, or `cancelled` if woken.
    static func connect(to path: String, waker: Waker, seconds: Double) throws(LocationError) -> UnixStream {
        let stream = try unconnected(to: path)
        let start = MachineClock.now
        while try !stream.connect() {
            let left = seconds - MachineClock.now.seconds(since: start)
            guard left > 0 else { throw .busy(at: path) }
            guard waker.wait(for: -1, events: 0, seconds: min(left, pause)) != .woken else { throw .cancelled }
        }
        return stream
    }

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

extension LocationError {
    /// The daemon has more callers than it takes.
    static func busy(at path: String) -> LocationError {
        .daemonNotRunning(path: path, reason: "it takes no further connection")
    }
}
