import ServiceKit

/// The state of the service, for `systemctl status` and `locctl diagnose`.
struct FleetState: Sendable {
    /// Why the outbox cannot be used.
    var outbox: String?
    /// Why there is no connection to the broker; `nil` if there is one.
    var broker: String? = connecting
    /// Why no remote commands come.
    var commands: String?
    /// Why there are no locations, and whether somebody has to do something about it.
    var locations: (reason: String, isFault: Bool)?
    /// Why the hours let nothing be published; `nil` within them.
    var hours: String?
    /// How many messages wait.
    var waiting = 0
    /// How many of them wait at most though all is well.
    let ordinary: Int

    /// Before the first attempt has succeeded or failed.
    private static let connecting = "connecting to the broker"

    init(ordinary: Int) { self.ordinary = ordinary }

    var notification: Notification {
        let backlog = waiting == 1 ? "1 message waits" : "\(waiting) messages wait"
        let parts = [
            outbox, broker ?? "connected to the broker", waiting > ordinary || broker != nil ? backlog : nil,
            broker == nil ? commands : nil, hours ?? locations?.reason,
        ]
        let isDegraded =
            outbox != nil || broker != nil && broker != Self.connecting || broker == nil && commands != nil
            || hours == nil && locations?.isFault == true
        return .status(parts.compactMap(\.self).joined(separator: "; "), isDegraded: isDegraded)
    }
}
