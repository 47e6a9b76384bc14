import Foundation

/// The place a manager was made in, where its delegate is called: the main queue for the main thread, else the run
/// loop of the thread.
///
/// A thread that never runs its run loop hears nothing.
enum DelegateThread: Sendable {
    case mainQueue
    case runLoop(RunLoopExecutor)

    /// The caller's own place.
    static var current: DelegateThread {
        MainQueue.isCurrent ? .mainQueue : .runLoop(RunLoopExecutor())
    }

    /// Runs the block there, after those given before.
    func perform(_ block: @escaping @Sendable () -> Void) {
        switch self {
        case .mainQueue: DispatchQueue.main.async(execute: block)
        case .runLoop(let bell): bell.perform(block)
        }
    }
}

/// `RunLoop.main.run()`, `dispatchMain()` and an asynchronous `main` all serve the main queue; the main thread's run
/// loop is served by the first only.
private enum MainQueue {
    private static let mark: DispatchSpecificKey<Bool> = {
        let mark = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: mark, value: true)
        return mark
    }()

    /// True on the main thread, and where the main queue runs once `dispatchMain()` has ended that thread.
    static var isCurrent: Bool {
        DispatchQueue.getSpecific(key: mark) == true || Thread.isMainThread
    }
}
