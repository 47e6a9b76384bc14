@_spi(Programs) import SystemSupport

/// Ends the service after it has been idle for a while.
///
/// Ownership: everything belongs to the event loop, and the timer calls back on it.
final class IdleExit {
    private let timeout: Double
    private let clock: ServiceClock
    private let loop: ServiceLoop
    private let end: () -> Bool
    private var cancel: Pause.Cancellation?
    /// Counts the uses, to recognize a timer that was cancelled too late.
    private var uses = 0

    /// - Parameter end: ends the service; returns false if it is needed after all.
    init(after timeout: Double, clock: ServiceClock, loop: ServiceLoop, end: @escaping () -> Bool) {
        self.timeout = timeout
        self.clock = clock
        self.loop = loop
        self.end = end
    }

    /// The first client has connected, or the last one has left.
    func isUsed(_ isUsed: Bool) {
        cancel?()
        cancel = nil
        uses += 1
        guard !isUsed else { return }
        let (loop, itself, use) = (loop, loop.bind(self), uses)
        cancel = clock.after(timeout) {
            loop.execute { if itself.value.uses == use { _ = itself.value.end() } }
        }
    }
}
