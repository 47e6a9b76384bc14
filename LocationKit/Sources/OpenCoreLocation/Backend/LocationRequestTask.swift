@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import Synchronization

/// The one request for a location that a manager may have at a time.
///
/// It has a task of its own, because a request is ended by cancelling its task. The task does not retain the manager.
final class LocationRequestTask: Sendable {
    /// The time-out, seconds: what a receiver needs that has to search for satellites, and the service's own default.
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
