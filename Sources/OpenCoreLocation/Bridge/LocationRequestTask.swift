import LocationKit
import LocationModel
import Synchronization

/// The one request for a location that a manager has at a time.
///
/// A task of its own, since the request is ended by ending the task that waits for it; it holds no manager.
final class LocationRequestTask: Sendable {
    /// Seconds until the best location so far is told, or that there is none: the time a receiver takes that has to
    /// look for its satellites, and the time the service waits unless said otherwise.
    private static let timeout = 30.0

    private let task = Mutex<Task<Void, Never>?>(nil)

    deinit {
        cancel()
    }

    func start(_ number: Int, of provider: any LocationProviding, into mailbox: DelegateMailbox) {
        let new = Task {
            var next: Int? = number
            while let number = next, !Task.isCancelled {
                let result = await Self.location(of: provider)
                next = mailbox.update { $0.endRequest(number, result) }
            }
        }
        let old = task.withLock { task in
            defer { task = new }
            return task
        }
        old?.cancel()
    }

    func cancel() {
        let old = task.withLock { task in
            defer { task = nil }
            return task
        }
        old?.cancel()
    }

    private static func location(of provider: any LocationProviding) async -> Result<Location, LocationError> {
        do throws(LocationError) {
            return .success(
                try await provider.requestLocation(timeout: timeout, desiredAccuracy: provider.desiredAccuracy))
        } catch {
            return .failure(error)
        }
    }
}
