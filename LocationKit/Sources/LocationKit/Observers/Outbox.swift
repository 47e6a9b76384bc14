/// Work to be done after a manager's lock is released, in order, by one thread at a time.
///
/// The thread that gave the manager an input drains the outbox, unless another thread does, or a caller further up its
/// own stack: what a handler causes is delivered after the handler has returned.
struct Outbox {
    typealias Work = @Sendable () -> Void

    private var work: [Work] = []
    private var isDraining = false

    mutating func append(_ item: @escaping Work) {
        work.append(item)
    }

    /// - Returns: true if the caller has to drain the outbox by calling ``nextBatch()`` until it returns `nil`.
    mutating func beginDraining() -> Bool {
        guard !isDraining, !work.isEmpty else { return false }
        isDraining = true
        return true
    }

    /// - Returns: the work to do now; `nil` if there is none, which ends the draining.
    mutating func nextBatch() -> [Work]? {
        guard !work.isEmpty else {
            isDraining = false
            return nil
        }
        defer { work = [] }
        return work
    }
}
