@_spi(Programs) import LocationModel
import Synchronization

/// The updates of a watch that the loop over it has not read yet: the newest 256.
///
/// A slow loop never blocks the client thread. When the buffer is full the oldest update without a status is dropped,
/// and its location is counted in the one after it.
///
/// Ownership: filled by the client thread and emptied by one loop, under a lock that is held only to move an update. It
/// is a `Mutex` and no actor, because the thread cannot await.
final class UpdateBuffer: Sendable {
    private let contents = Mutex(Contents())

    func append(_ update: LocationUpdate) {
        let reader = contents.withLock { $0.append(update) }
        reader?.resume(returning: update)
    }

    /// Ends the buffer: buffered updates can still be read, then the error is thrown, if there is one.
    func finish(_ error: LocationError? = nil) {
        let reader = contents.withLock { $0.finish(error) }
        guard let reader else { return }
        if let error { reader.resume(throwing: error) } else { reader.resume(returning: nil) }
    }

    /// The next update, as soon as there is one; `nil` at the end, and when the task is cancelled.
    func next() async throws -> LocationUpdate? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { reader in
                let answer = contents.withLock { $0.next(for: reader) }
                if let answer { reader.resume(with: answer) }
            }
        } onCancel: {
            finish()
        }
    }
}

private struct Contents {
    static let capacity = 256

    typealias Reader = CheckedContinuation<LocationUpdate?, any Error>

    private var updates: [LocationUpdate] = []
    private var isFinished = false
    /// The error to throw, once.
    private var error: LocationError?
    private var reader: Reader?

    /// - Returns: the reader that waits for this update; `nil` if the update was buffered.
    mutating func append(_ update: LocationUpdate) -> Reader? {
        guard !isFinished else { return nil }
        if let reader = releaseReader() { return reader }
        updates.append(update)
        if updates.count > Self.capacity { makeRoom() }
        return nil
    }

    /// - Returns: the reader that has to be resumed with the end.
    mutating func finish(_ error: LocationError?) -> Reader? {
        guard !isFinished else { return nil }
        isFinished = true
        if let reader = releaseReader() { return reader }
        self.error = error
        return nil
    }

    /// - Returns: the next update, error or end; `nil` if the reader has to wait.
    mutating func next(for reader: Reader) -> Result<LocationUpdate?, any Error>? {
        if !updates.isEmpty { return .success(updates.removeFirst()) }
        if let error {
            self.error = nil
            return .failure(error)
        }
        // There may be one reader at a time; a second one gets the end.
        guard !isFinished, self.reader == nil else { return .success(nil) }
        self.reader = reader
        return nil
    }

    private mutating func releaseReader() -> Reader? {
        defer { reader = nil }
        return reader
    }

    private mutating func makeRoom() {
        let oldest = updates.dropLast().firstIndex { $0.status == nil } ?? 0
        let lost = updates.remove(at: oldest)
        for count in [lost.dropped, lost.location == nil ? 0 : 1] {
            let (sum, overflow) = updates[oldest].dropped.addingReportingOverflow(count)
            updates[oldest].dropped = overflow ? .max : sum
        }
    }
}
