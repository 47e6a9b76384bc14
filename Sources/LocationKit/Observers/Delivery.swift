public import Dispatch
import Synchronization

/// Where handlers run.
public struct Delivery: Sendable {
    /// Runs the block it is given once, soon; blocks given one after the other run in that order, never two at once.
    let run: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Any other place: `run` is given blocks and must run each once, in their order, never two at once.
    public init(run: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        self.run = run
    }

    /// On the thread that brings the news, at once. A handler that takes long holds up what this process hears.
    public static let immediate = Delivery { $0() }

    /// On the main queue: the main actor's, which `RunLoop.main.run()`, `dispatchMain()` and an asynchronous `main`
    /// serve.
    public static let main = Delivery.queue(.main)

    /// On a dispatch queue, which has to be serial.
    public static func queue(_ queue: DispatchQueue) -> Delivery {
        Delivery { block in queue.async(execute: block) }
    }
}

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
