import LocationModel
import Synchronization

/// What the daemon has told and the loop over it has not yet taken: the newest 256 updates.
///
/// A slow loop is never waited for. The oldest update without a status gives way, and the one after it counts the
/// location that went with it.
///
/// Ownership: filled by the client thread and emptied by one loop, under one lock that is held for a move only; the
/// thread cannot wait for a task, so this is a `Mutex` and no actor.
final class UpdateBuffer: Sendable {
    private let contents = Mutex(Contents())

    func append(_ update: LocationUpdate) {
        let reader = contents.withLock { $0.append(update) }
        reader?.resume(returning: update)
    }

    /// Nothing more comes; what is here can still be taken, then the error is thrown, if there is one.
    func finish(_ error: LocationError? = nil) {
        let reader = contents.withLock { $0.finish(error) }
        guard let reader else { return }
        if let error { reader.resume(throwing: error) } else { reader.resume(returning: nil) }
    }

    /// The next update, as soon as there is one; `nil` at the end, and for a task that is cancelled.
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
    /// To be thrown once.
    private var error: LocationError?
    private var reader: Reader?

    /// - Returns: who waits for this very update; `nil` if it is kept.
    mutating func append(_ update: LocationUpdate) -> Reader? {
        guard !isFinished else { return nil }
        if let reader = releaseReader() { return reader }
        updates.append(update)
        if updates.count > Self.capacity { makeRoom() }
        return nil
    }

    /// - Returns: who waits, and is to be told the end.
    mutating func finish(_ error: LocationError?) -> Reader? {
        guard !isFinished else { return nil }
        isFinished = true
        if let reader = releaseReader() { return reader }
        self.error = error
        return nil
    }

    /// - Returns: what there is; `nil` if the reader has to wait.
    mutating func next(for reader: Reader) -> Result<LocationUpdate?, any Error>? {
        if !updates.isEmpty { return .success(updates.removeFirst()) }
        if let error {
            self.error = nil
            return .failure(error)
        }
        // There is one loop; a second one that waits at the same time finds the end.
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
