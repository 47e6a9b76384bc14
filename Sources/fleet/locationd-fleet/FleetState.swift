import ServiceKit

/// The state of the service, for `systemctl status` and `locctl diagnose`.
struct FleetState: Sendable {
    /// Why the outbox cannot be used.
    var outbox: String?
    /// Why there is no connection to the broker; `nil` if there is one, or no broker.
    var broker: String?
    /// Why no remote commands come.
    var commands: String?
    /// Why there are no locations, and whether somebody has to do something about it.
    var locations: (reason: String, isFault: Bool)?
    /// Why the hours let nothing be published; `nil` within them.
    var hours: String?
    /// Why destinations are not sent reports, by their names.
    var destinations: [String: String] = [:]
    /// How many messages wait for the broker.
    var waiting = 0
    /// How many of them wait at most though all is well.
    let ordinary: Int
    private let hasBroker: Bool

    /// Before the first attempt has succeeded or failed.
    private static let connecting = "connecting to the broker"

    init(ordinary: Int, hasBroker: Bool = true) {
        (self.ordinary, self.hasBroker) = (ordinary, hasBroker)
        broker = hasBroker ? Self.connecting : nil
    }

    var notification: Notification {
        let backlog = waiting == 1 ? "1 message waits" : "\(waiting) messages wait"
        let troubles = destinations.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        let usual = hasBroker ? "connected to the broker" : destinations.isEmpty ? "all reports are delivered" : nil
        let parts =
            [outbox, broker ?? usual, hasBroker && (waiting > ordinary || broker != nil) ? backlog : nil]
            + troubles + [broker == nil ? commands : nil, hours ?? locations?.reason]
        let isDegraded =
            outbox != nil || !destinations.isEmpty || broker != nil && broker != Self.connecting
            || broker == nil && commands != nil
            || hours == nil && locations?.isFault == true
        return .status(parts.compactMap(\.self).joined(separator: "; "), isDegraded: isDegraded)
    }
}
