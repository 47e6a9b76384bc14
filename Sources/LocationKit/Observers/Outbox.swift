/// What is to be done once a manager's lock is open, in order, by one thread at a time.
///
/// Whoever gives the manager an input works the outbox off unless another does, or does so further up its own stack:
/// what a handler causes comes after the handler has returned.
struct Outbox {
    typealias Work = @Sendable () -> Void

    private var work: [Work] = []
    private var isDraining = false

    mutating func append(_ item: @escaping Work) {
        work.append(item)
    }

    /// - Returns: true if the caller has to take and do work until there is none.
    mutating func beginDraining() -> Bool {
        guard !isDraining, !work.isEmpty else { return false }
        isDraining = true
        return true
    }

    /// - Returns: what is to be done now; `nil` if there is nothing, and others may begin.
    mutating func nextBatch() -> [Work]? {
        guard !work.isEmpty else {
            isDraining = false
            return nil
        }
        defer { work = [] }
        return work
    }
}
