/// Wakes the one task that waits for it. Signals that come while it does not wait count as one.
package struct WakeSignal: Sendable {
    /// One element for each time it was sent, or several times in a row; it ends with ``finish()``.
    package let signals: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    package init() {
        (signals, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    package func send() { continuation.yield() }

    package func finish() { continuation.finish() }
}
