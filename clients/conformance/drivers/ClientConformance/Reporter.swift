import FoundationEssentials
import Glibc
import LocationKit
import Synchronization

/// Writes events, a line each, and ends the process when the judge has asked for no more.
final class Reporter: Sendable {
    private struct State {
        var counts: [String: Int] = [:]
        var lastStatus: ServiceStatus?
        var dropped = 0
        /// An outage was written, and no status since.
        var isOut = false
        /// The service answers again, and its status has not been written since.
        var isBack = false
        /// What came before the first status; observers of different kinds are added one after the other.
        var early: [Event]? = []
    }

    private let limits: [String: Int]
    private let pause: Int?
    private let state = Mutex(State())

    init(_ call: Call) {
        (limits, pause) = (call.stopAfter, call.pauseAfter)
    }

    func report(_ event: Event) {
        state.withLock { write(event, &$0) }
    }

    /// Reports an event of a watch or monitor, after its status: an observer of states is not called when the service
    /// is back and its state is what it was.
    func reportUpdate(_ event: Event) {
        state.withLock { state in
            if state.early != nil { return state.early = (state.early ?? []) + [event] }
            if state.isBack, let status = state.lastStatus { writeStatus(status, &state) }
            write(event, &state)
        }
    }

    func report(_ status: ServiceStatus) {
        state.withLock { writeStatus(status, &$0) }
    }

    /// Reports an outage each time that the library does.
    func reportOutage(_ error: LocationError) {
        state.withLock { state in
            (state.isOut, state.isBack) = (true, false)
            write(.outage(error, after: state.lastStatus), &state)
        }
    }

    /// Reports an error that observers are told; after it the library tries again.
    func report(_ error: LocationError) {
        switch error {
        // Why there is no fix is said by the status too.
        case .unauthorized, .disabled, .unavailable: break
        case _ where error.isOutage: reportOutage(error)
        default: report(.error(error))
        }
    }

    /// The service answers again.
    func endOutage() {
        state.withLock { state in
            if state.isOut { (state.isOut, state.isBack) = (false, true) }
        }
    }

    /// Adds up the counts of a client that gives that of each update.
    func addDropped(_ count: Int) -> Int {
        state.withLock { state in
            state.dropped += count
            return state.dropped
        }
    }

    private func writeStatus(_ status: ServiceStatus, _ state: inout State) {
        (state.lastStatus, state.isOut, state.isBack) = (status, false, false)
        write(.status(status), &state)
        let early = state.early ?? []
        state.early = nil
        for event in early { write(event, &state) }
    }

    /// Ends the process, with a last event if there is one.
    func finish(_ event: Event? = nil) -> Never {
        if let event { report(event) }
        exit(0)
    }

    private func write(_ event: Event, _ state: inout State) {
        do {
            writeLine(try JSONEncoder().encode(event), to: STDOUT_FILENO)
        } catch {
            fail("an event cannot be written: \(error)", code: 1)
        }
        for kind in ["events", event.kind] { state.counts[kind, default: 0] += 1 }
        if limits.contains(where: { state.counts[$0.key, default: 0] >= $0.value }) { exit(0) }
        if let pause, state.counts["events"] == pause { _ = readLine() }
    }
}

/// Writes all bytes and a line's end.
func writeLine(_ bytes: some Sequence<UInt8>, to descriptor: Int32) {
    let line = Array(bytes) + [UInt8(ascii: "\n")]
    line.withUnsafeBytes { line in
        var rest = line[...]
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            guard count > 0 else { exit(1) }
            rest = rest.dropFirst(count)
        }
    }
}

/// Ends the process for a reason that is no event.
func fail(_ reason: String, code: Int32) -> Never {
    writeLine(reason.utf8, to: STDERR_FILENO)
    exit(code)
}
