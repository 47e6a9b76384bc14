import Logging
import NIOCore
import ServiceServer

/// What each user may use of the bridge: connections, requests, the event loop's time, and bytes that wait.
///
/// Who exceeds a limit waits, or loses connections or reports; other users do not. The numbers together stay far below
/// the unit's memory (`MemoryMax=256M`): 512 connections with what the kernel holds for them
/// (``GPSDServer/sendBuffer``, ``GPSDServer/receiveBuffer``) are 48 MiB, and what waits here is ``heldLimit``.
///
/// Ownership: everything belongs to the event loop.
final class ClientLimits {
    /// Bytes that may wait in all.
    private static let heldLimit = 32 << 20
    /// Bytes that may wait for one user: of 64 connections each has 32 KiB, more than a client that reads ever needs.
    private static let heldLimitPerUser = 2 << 20
    /// Seconds for which the requests of a user over the rate wait.
    static let pause = TimeAmount.seconds(1)
    /// Warnings about one user in a second: one in a minute, so that no user fills the log.
    private static let warningRate = 1.0 / 60

    /// How long requests wait for the daemon's receivers.
    let receiversTimeout: TimeAmount
    /// How long the daemon may take to record a request for authorization.
    let requestTimeout: TimeAmount
    let scheduler: CallScheduler
    var account: ByteAccount
    private(set) var admission: Admission
    private var rate: RequestRate
    private var warnings = RequestRate(limit: ClientLimits.warningRate)
    private let eventLoop: any EventLoop
    private let logger: Logger

    init(_ limits: GPSDServer.Limits, eventLoop: any EventLoop, logger: Logger) {
        self.eventLoop = eventLoop
        self.logger = logger
        receiversTimeout = .nanoseconds(Int64(limits.receiversTimeout * 1e9))
        requestTimeout = .nanoseconds(Int64(limits.requestTimeout * 1e9))
        scheduler = CallScheduler(loop: eventLoop)
        admission = Admission(limit: limits.clients, limitPerUser: limits.clientsPerUser)
        rate = RequestRate(limit: limits.requestsPerSecond)
        account = ByteAccount(limit: Self.heldLimit, limitPerUser: Self.heldLimitPerUser)
    }

    /// Whether a user may connect once more now: a connection costs as much as a request.
    func enter(_ uid: UInt32) -> Admission.Verdict {
        let verdict =
            rate.spend(uid: uid, at: eventLoop.now)
            ? admission.enter(uid: uid, isExempt: false)
            : admission.refuse(uid: uid, limit: Int(rate.limit), isOwn: true)
        switch verdict {
        case .admitted: break
        case .refused, .shut: warn("a user has too many connections, or connects too often", uid)
        }
        return verdict
    }

    func leave(_ uid: UInt32) { admission.leave(uid: uid) }

    /// Frees the place of a connection that was refused with an error, after a second: who connects in a loop gets
    /// fewer and fewer errors.
    func leaveRefused(_ uid: UInt32) {
        eventLoop.assumeIsolated().scheduleTask(in: Self.pause) { [weak self] in
            self?.admission.leaveRefused(uid: uid)
        }
    }

    /// Counts requests.
    /// - Returns: false if their user is over the rate; they are to wait for ``pause``.
    func mayAnswer(_ uid: UInt32) -> Bool {
        if rate.spend(uid: uid, at: eventLoop.now) { return true }
        warn("a user's requests wait, because they are too many", uid)
        return false
    }

    /// Counts what the daemon is asked for a user.
    func charge(_ uid: UInt32) { rate.charge(1, uid: uid, at: eventLoop.now) }

    private func warn(_ message: Logger.Message, _ uid: UInt32) {
        guard warnings.spend(uid: uid, at: eventLoop.now) else { return }
        logger.warning(message, metadata: ["uid": "\(uid)", "connections": "\(admission.total)"])
    }
}
