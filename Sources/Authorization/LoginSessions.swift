/// Who has a login session on this machine at present: the ground of the authorization "when in use".
///
/// Whatever goes wrong, nobody is in use: a missing library, a machine without login manager, a record that cannot be
/// read.
package protocol LoginSessions: Sendable {
    /// Whether a login manager can be asked here. For explanations: without one nobody is ever in use.
    var isPresent: Bool { get }

    /// Whether the user has an active session now: one in the foreground of its seat, or one without a seat, as over
    /// ssh. Sessions in the background, lingering services and logins that are ending do not count.
    ///
    /// Reads one small file in memory: it takes microseconds and any thread may call it.
    func isActive(_ uid: UInt32) -> Bool

    /// Calls `changed`, from a thread of its own, whenever the answer of ``isActive(_:)`` may have become another for
    /// any user. Many changes at once may be one call, and a call may turn out to have had no reason; an answer asked
    /// for in the call or after it is no older than the change. Changes from before this returns are not told: observe
    /// first, then ask.
    ///
    /// - Returns: what keeps the observation up; it ends when that is released. `nil` if there is no login manager to
    ///   observe, or no thread or descriptor left. Whoever gets `nil` takes nobody to be in use, and asks again when
    ///   somebody connects to whom it matters: a login manager may start after the daemon.
    func observe(_ changed: @escaping @Sendable () -> Void) -> LoginObservation?
}
