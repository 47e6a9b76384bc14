import CoreFoundation
import Foundation
import Synchronization

/// Where the delegate of a manager is called: on the main queue if the manager was made on the main thread, else on the
/// run loop of the thread that made it.
///
/// On a thread that never runs its run loop the delegate is never called.
enum DelegateThread: Sendable {
    case mainQueue
    case runLoop(RunLoopExecutor)

    /// The one for the current thread.
    static var current: DelegateThread {
        MainQueue.isCurrent ? .mainQueue : .runLoop(RunLoopExecutor())
    }

    /// Runs the block there, after earlier ones.
    func perform(_ block: @escaping @Sendable () -> Void) {
        switch self {
        case .mainQueue: DispatchQueue.main.async(execute: block)
        case .runLoop(let executor): executor.perform(block)
        }
    }
}

/// `RunLoop.main.run()`, `dispatchMain()` and an asynchronous `main` all serve the main queue; only the first serves
/// the main thread's run loop.
private enum MainQueue {
    private static let mark: DispatchSpecificKey<Bool> = {
        let mark = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: mark, value: true)
        return mark
    }()

    /// True on the main thread, and on the main queue after `dispatchMain()` has ended that thread.
    static var isCurrent: Bool {
        DispatchQueue.getSpecific(key: mark) == true || Thread.isMainThread
    }
}

/// Runs blocks in the run loop of the thread that made the executor.
///
/// It is an input source, as in CoreLocation: `RunLoop.run(mode:before:)` returns after its blocks have run, and a run
/// loop with no other source does not exit. Foundation's own `RunLoop.perform` does neither, and does not wake a
/// waiting run loop.
///
/// Unchecked: the CoreFoundation classes are not `Sendable`, but these of their functions lock and may be called on any
/// thread.
final class RunLoopExecutor: @unchecked Sendable {
    private let blocks = Blocks()
    private let loop = CFRunLoopGetCurrent()
    private let source: CFRunLoopSource?

    init() {
        // The source retains the blocks as long as it exists, and itself while it runs them.
        var context = CFRunLoopSourceContext()
        context.info = Unmanaged.passUnretained(blocks).toOpaque()
        context.retain = { info in
            info.map { UnsafeRawPointer(Unmanaged<Blocks>.fromOpaque($0).retain().toOpaque()) }
        }
        context.release = { info in
            if let info { Unmanaged<Blocks>.fromOpaque(info).release() }
        }
        context.perform = { info in
            if let info { Unmanaged<Blocks>.fromOpaque(info).takeUnretainedValue().run() }
        }
        source = CFRunLoopSourceCreate(nil, 0, &context)
        CFRunLoopAddSource(loop, source, kCFRunLoopCommonModes)
    }

    deinit {
        CFRunLoopSourceInvalidate(source)
    }

    /// Runs the block there, after earlier ones; not at all if the executor is deinitialized by then.
    func perform(_ block: @escaping @Sendable () -> Void) {
        blocks.append(block)
        CFRunLoopSourceSignal(source)
        CFRunLoopWakeUp(loop)
    }
}

private final class Blocks: Sendable {
    private let waiting = Mutex<[@Sendable () -> Void]>([])

    func append(_ block: @escaping @Sendable () -> Void) {
        waiting.withLock { $0.append(block) }
    }

    func run() {
        let due = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for block in due { block() }
    }
}
