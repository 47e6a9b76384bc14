import ServiceServer

/// Looks up the groups of users on whose behalf others call, on threads of its own: a directory service that is slow,
/// or does not answer, delays only the calls that need it, each for at most ``timeout`` seconds.
///
/// Ownership: everything here belongs to the event loop.
final class GroupLookUps {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let context: ServerContext
    private let timeout: Double
    private var cache = GroupCache()
    /// The calls that wait, each with the end of its patience.
    private var completions: [Int: (timer: LoopTimer, complete: (Result<Set<UInt32>, Failure>) -> Void)] = [:]

    init(_ context: ServerContext) {
        self.context = context
        timeout = context.settings.lookUpTimeout
    }

    /// Finds the groups of a user.
    ///
    /// - Parameters:
    ///   - caller: a number that no other waiting call has.
    ///   - completion: called later, once, unless this returns the groups.
    /// - Returns: the groups if they are known, else `nil`.
    /// - Throws: if too many calls wait already.
    func groups(
        of uid: UInt32, for caller: Int, otherwise completion: @escaping (Result<Set<UInt32>, Failure>) -> Void
    ) throws(Failure) -> Set<UInt32>? {
        switch cache.groups(of: uid, for: caller, at: context.now) {
        case .known(let groups): return groups
        case .begins:
            wait(for: uid, caller, completion)
            let operations = context.environment.operations
            context.tasks.run(on: operations.groupLookUpTasks) {
                try await operations.groups(of: uid)
            } completion: { [weak self] in
                self?.finish(uid, $0)
            }
            return nil
        case .waits:
            wait(for: uid, caller, completion)
            return nil
        case .tooManyCalls(let limit):
            throw Failure(description: "\(limit) calls of this user wait for it already; try again later")
        case .tooManyUsers(let limit):
            throw Failure(description: "\(limit) users' look-ups run already, because the directory service is slow")
        }
    }

    private func wait(
        for uid: UInt32, _ caller: Int, _ completion: @escaping (Result<Set<UInt32>, Failure>) -> Void
    ) {
        let timer = context.loop.schedule(after: timeout) { [weak self] in
            guard let self, self.cache.leave(uid, caller) else { return }
            let reason = "the directory service has not answered for \(self.timeout) s; try again later"
            self.complete(caller, .failure(Failure(description: reason)))
        }
        completions[caller] = (timer, completion)
    }

    private func finish(_ uid: UInt32, _ result: Result<Set<UInt32>, any Error>) {
        let callers = cache.finish(uid, groups: try? result.get(), at: context.now)
        let result = result.mapError { Failure(description: "\($0)") }
        for caller in callers { complete(caller, result) }
    }

    private func complete(_ caller: Int, _ result: Result<Set<UInt32>, Failure>) {
        guard let (timer, complete) = completions.removeValue(forKey: caller) else { return }
        // Else the caller's next look-up would have the rest of this one's time.
        timer.cancel()
        complete(result)
    }
}
