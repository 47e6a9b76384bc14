import Dispatch
import Synchronization

/// Holds threads up until it is opened.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func wait() {
        semaphore.wait()
        semaphore.signal()
    }

    func open() {
        semaphore.signal()
    }
}

/// Waits for something that comes about by itself, looking again and again; the suite's time limit ends it.
func until(_ condition: () -> Bool) async throws {
    while !condition() {
        try await Task.sleep(for: .milliseconds(1))
    }
}
