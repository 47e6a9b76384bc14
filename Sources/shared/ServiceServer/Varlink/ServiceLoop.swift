package import NIOCore
import NIOPosix

/// The thread that serves a program's connections: its timers, and access to it from other threads.
///
/// ``execute(_:)``, ``execute(after:_:)``, ``run(_:)``, ``wait(for:)`` and ``shutDown()`` may be called from any
/// thread; everything else only from code that runs on the loop.
package struct ServiceLoop: Sendable {
    package let eventLoop: any EventLoop
    private let group: MultiThreadedEventLoopGroup?

    /// A loop with its own thread.
    package init() {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        self.group = group
        eventLoop = group.next()
    }

    /// A loop that the caller runs, such as a test's.
    package init(on eventLoop: any EventLoop) {
        group = nil
        self.eventLoop = eventLoop
    }

    // MARK: From any thread

    package func execute(_ body: @escaping @Sendable () -> Void) { eventLoop.execute(body) }

    package func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await eventLoop.submit(body).get()
    }

    /// Runs the body on the loop after so many seconds.
    package func execute(after seconds: Double, _ body: @escaping @Sendable () -> Void) -> LoopTimer {
        LoopTimer(task: eventLoop.scheduleTask(in: TimeAmount(seconds: seconds), body))
    }

    /// Runs the body on the loop and returns when the signal that it returns is sent.
    package func wait<Value: Sendable>(for body: @escaping @Sendable () -> LoopSignal<Value>) async throws -> Value {
        try await eventLoop.flatSubmit { body().promise.futureResult }.get()
    }

    /// Ends the thread, which must have no work left.
    package func shutDown() async throws { try await group?.shutdownGracefully() }

    // MARK: On the loop

    /// A value that other threads may hold and pass back, but that is read on the loop only.
    package func bind<Value>(_ value: Value) -> LoopBound<Value> {
        LoopBound(bound: NIOLoopBound(value, eventLoop: eventLoop))
    }

    /// Runs the body after the present one.
    package func enqueue(_ body: @escaping () -> Void) { eventLoop.assumeIsolated().execute(body) }

    @discardableResult
    package func schedule(after seconds: Double, _ body: @escaping () -> Void) -> LoopTimer {
        LoopTimer(task: eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(seconds: seconds), body))
    }

    package func signal<Value: Sendable>(of type: Value.Type = Value.self) -> LoopSignal<Value> {
        LoopSignal(promise: eventLoop.makePromise(of: type))
    }
}

/// A value that is read on its loop only.
package struct LoopBound<Value>: Sendable {
    fileprivate let bound: NIOLoopBound<Value>

    package var value: Value { bound.value }
}

/// A timer that fires once.
package struct LoopTimer: Sendable {
    fileprivate let task: Scheduled<Void>

    package func cancel() { task.cancel() }
}

/// A value that is sent once, for ``ServiceLoop/wait(for:)``; further values are ignored.
package struct LoopSignal<Value: Sendable>: Sendable {
    let promise: EventLoopPromise<Value>

    package func send(_ value: Value) { promise.succeed(value) }
}

/// One timer for many deadlines. If the deadline moves to a later time, the timer still fires at the earlier one and is
/// then set again.
///
/// Timers stop while the machine sleeps, but deadlines do not. So the two are compared as timers, with a tolerance of a
/// millisecond because each comparison reads both clocks anew.
package final class LoopAlarm {
    private let loop: ServiceLoop
    private let fire: () -> Void
    private var pending: (time: NIODeadline, timer: LoopTimer)?

    /// - Parameter fire: called when the time has come.
    package init(on loop: ServiceLoop, fire: @escaping () -> Void) { (self.loop, self.fire) = (loop, fire) }

    /// Fires in so many seconds, unless it is to fire earlier already.
    package func set(after seconds: Double) {
        let time = loop.eventLoop.now + TimeAmount(seconds: seconds)
        if let pending, pending.time <= time + .milliseconds(1) { return }
        pending?.timer.cancel()
        let task = loop.eventLoop.assumeIsolated().scheduleTask(deadline: time) { [weak self] in
            self?.pending = nil
            self?.fire()
        }
        pending = (time, LoopTimer(task: task))
    }

    package func cancel() { pending?.timer.cancel() }
}

extension TimeAmount {
    /// Negative and non-finite times count as zero; times beyond a timer's range count as a year.
    init(seconds: Double) {
        self = .nanoseconds(seconds > 0 ? Int64(min(seconds, 31_536_000) * 1e9) : 0)
    }
}
