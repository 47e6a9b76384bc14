public import Dispatch
import Synchronization

/// Where handlers and completions run.
public struct Delivery: Sendable {
    /// Runs a block once, soon. Blocks run in the order in which they are given, never concurrently.
    let run: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// A custom delivery. `run` must run each block once, in the order in which it is given, never concurrently.
    public init(run: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        self.run = run
    }

    /// On the thread that receives the event, immediately. A slow handler delays everything that this process receives.
    public static let immediate = Delivery { $0() }

    /// On the main queue: the main actor's, which `RunLoop.main.run()`, `dispatchMain()` and an asynchronous `main`
    /// serve.
    public static let main = Delivery.queue(.main)

    /// On a dispatch queue, which must be serial.
    public static func queue(_ queue: DispatchQueue) -> Delivery {
        Delivery { block in queue.async(execute: block) }
    }
}

/// Runs blocks on an actor, one after the other and in order; they are dropped once the actor is deinitialized.
///
/// One task for each block would not keep the order, so there is at most one task. `isBusy` turns true when the task is
/// started and false when the task finds no further block and ends, both under the lock under which blocks are
/// appended. A block that is appended before the end is therefore run by that task, a later one by the next.
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
                // Each block is a job of its own, so that a long queue does not keep other callers from the actor.
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
