import Synchronization

/// Runs blocks on an actor, one after the other in the order they come; they are forgotten once the actor is gone.
///
/// A task for each block would not keep the order. So at most one task is there: `isBusy` turns true where a task is
/// started, and false where that task finds no further block and ends, both under the lock under which blocks come. A
/// block that comes before the end is thus run by the task, one that comes after it by the next.
final class ActorQueue<A: Actor>: Sendable {
    typealias Block = @Sendable (isolated A) -> Void

    private struct State {
        var blocks: [Block] = []
        var isBusy = false
    }

    private weak let actor: A?
    private let state = Mutex(State())

    init(to actor: A) {
        self.actor = actor
    }

    func append(_ block: @escaping Block) {
        let begins = state.withLock { state in
            state.blocks.append(block)
            defer { state.isBusy = true }
            return !state.isBusy
        }
        guard begins else { return }
        Task.detached { [self] in
            while let block = next() {
                // Each block is a visit of its own, so that a long row of them does not keep others from the actor.
                if let actor { await Self.run(block, on: actor) }
            }
        }
    }

    private static func run(_ block: Block, on actor: isolated A) {
        block(actor)
    }

    private func next() -> Block? {
        state.withLock { state in
            guard !state.blocks.isEmpty else {
                state.isBusy = false
                return nil
            }
            return state.blocks.removeFirst()
        }
    }
}
