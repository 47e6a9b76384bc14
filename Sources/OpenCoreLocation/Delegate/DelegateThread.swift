import CoreFoundation
import Foundation
import Synchronization

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

/// Runs blocks in the run loop of the thread that made it.
///
/// It is an input source, as Apple's: `RunLoop.run(mode:before:)` returns after its blocks have run, and a loop that
/// has nothing else to wait for goes on. Foundation's own `RunLoop.perform` does neither, and leaves a loop that waits
/// asleep.
///
/// Unchecked: neither CoreFoundation class is `Sendable`, but these functions of theirs lock, and may be called on any
/// thread.
final class RunLoopExecutor: @unchecked Sendable {
    private let blocks = Blocks()
    private let loop = CFRunLoopGetCurrent()
    private let source: CFRunLoopSource?

    init() {
        // The source keeps the blocks alive as long as itself, and itself while it runs them.
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

    /// Runs the block there, after those given before; not at all if the bell is gone by then.
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
