import NIOCore
import ServiceServer

/// What each user may use of the service, whatever the number of connections: requests a second, calls at a time, and
/// bytes in memory.
///
/// Ownership: everything belongs to the event loop.
final class UserShares {
    /// The share of all who have no session and whom the kernel does not name: no user has this number.
    static let strangers = UInt32.max

    private let eventLoop: any EventLoop
    private var rate: RequestRate
    private var bytes: ByteAccount
    private var calls: CallSlots

    init(_ settings: WebSettings, on eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        rate = RequestRate(limit: settings.requestsPerSecond)
        bytes = ByteAccount(limit: settings.bytes, limitPerUser: settings.bytesPerUser)
        calls = CallSlots(limit: settings.calls, limitPerUser: settings.callsPerUser)
    }

    /// Counts a request, or a connection, by the bytes of its body before they are read: one unit, and one for each KiB
    /// begun.
    ///
    /// - Returns: false if the user makes too many.
    func spend(bodyBytes: Int = 0, of uid: UInt32) -> Bool {
        rate.spend(1 + (Double(bodyBytes) / 1024).rounded(.up), uid: uid, at: eventLoop.now)
    }

    /// Counts bytes of a body that may arrive, or of an answer that is not sent yet.
    ///
    /// - Returns: false if there are too many.
    func hold(_ count: Int, of uid: UInt32) -> Bool { bytes.hold(count, for: uid) }

    func release(_ count: Int, of uid: UInt32) { bytes.release(count, of: uid) }

    /// - Returns: whether the user may have another call answered now.
    func beginCall(of uid: UInt32) -> Bool { calls.enter(uid: uid) == nil }

    func endCall(of uid: UInt32) { calls.leave(uid: uid) }
}

/// Has few large answers made at a time, and one of each user: the others wait for their turn.
///
/// Who waits is bounded by ``UserShares/beginCall(of:)``.
///
/// Ownership: everything belongs to the event loop.
final class LargeAnswerTurns {
    private let limit: Int
    private var running: Set<UInt32> = []
    private var waiting = FairQueue<() -> Void>()

    init(limit: Int) { self.limit = limit }

    /// - Parameter start: called when it is this one's turn, which may be at once; ``leave(_:)`` has to follow.
    func enter(_ uid: UInt32, start: @escaping () -> Void) {
        waiting.append(start, of: uid)
        startNext()
    }

    func leave(_ uid: UInt32) {
        running.remove(uid)
        startNext()
    }

    private func startNext() {
        while running.count < limit, let (uid, start) = waiting.popFirst(where: { !running.contains($0) }) {
            running.insert(uid)
            start()
        }
    }
}
