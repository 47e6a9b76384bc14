import VarlinkServer

/// Notices that nobody has needed the service for a while.
///
/// Ownership: it belongs to the event loop, to which its timer comes back.
final class IdleExit {
    private let patience: Double
    private let timers: Timers
    private let loop: ServiceLoop
    private let end: () -> Bool
    private var cancel: Timers.Cancellation?
    /// Counts the times it was used, so that a timer which was cancelled too late is known.
    private var uses = 0

    /// - Parameter end: ends the service; false if it is needed after all.
    init(after patience: Double, timers: Timers, loop: ServiceLoop, end: @escaping () -> Bool) {
        self.patience = patience
        self.timers = timers
        self.loop = loop
        self.end = end
    }

    /// Somebody came to where nobody was, or the last one left.
    func isUsed(_ isUsed: Bool) {
        cancel?()
        cancel = nil
        uses += 1
        guard !isUsed else { return }
        let (loop, itself, use) = (loop, loop.bind(self), uses)
        cancel = timers.after(patience) {
            loop.execute { if itself.value.uses == use { _ = itself.value.end() } }
        }
    }
}
