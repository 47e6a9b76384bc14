import DBus
import Glibc
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
@_spi(Programs) package import SystemSupport

/// One notification with the person's programs that use the position, as an entry of the desktop's menu asks for it.
package struct UsageNotice: Sendable {
    private static let (name, path) = ("org.freedesktop.Notifications", "/org/freedesktop/Notifications")
    /// Seconds that the daemon, and a notification server that has yet to be started, may take to answer.
    private static let patience = 20.0

    private let daemon, bus: String
    private let texts: UsageTexts

    /// - Parameters:
    ///   - daemon: its socket for everyone.
    ///   - bus: the address of the session's bus.
    package init(daemon: String, bus: String, language: Language) {
        (self.daemon, self.bus, texts) = (daemon, bus, UsageTexts(language))
    }

    /// Shows the notification; what the daemon does not tell it says instead.
    /// - Returns: why it cannot be shown, in words; `nil` if it is shown, or the waker was woken.
    package func show(until waker: Waker) -> String? {
        do throws(BusFailure) {
            let connection = try BusConnection(address: bus, reading: ["as", "u"])
            // Only what it says of itself tells whether a server reads the text as markup.
            let capabilities = try answer(
                to: connection.call(Self.name, Self.path, Self.name, "GetCapabilities"), connection, waker)
            guard !waker.isWoken else { return nil }
            guard case .strings(let names)? = capabilities else { return "there is no notification server" }
            let text = text(until: waker)
            let body = names.contains("body-markup") ? NotificationServer.escaped(text.body) : text.body
            let arguments: [BusValue] = [
                .string("locationd"), .uint32(0), .string("find-location"), .string(text.summary), .string(body),
                .strings([]), .properties(["urgency": .byte(1), "desktop-entry": .string("org.locationd.Usage")]),
                .int32(-1),
            ]
            let shown = try answer(
                to: connection.call(Self.name, Self.path, Self.name, "Notify", arguments), connection, waker)
            return shown != nil || waker.isWoken ? nil : "the notification server does not show it"
        } catch {
            switch error {
            case .noLibrary: return "install libsystemd0"
            case .failed(let reason): return "the session's bus cannot be used: \(reason)"
            }
        }
    }

    private func text(until waker: Waker) -> QuestionText {
        do throws(LocationError) {
            let connection = try VarlinkConnection(path: daemon, waker: waker, patience: Self.patience)
            let method = LocationInterface.Method.watchUsage
            let reply = try connection.call(method, UsageParameters(), as: UsageReply.self)
            return texts.notice(of: reply.usage, at: MachineClock.utc)
        } catch {
            return texts.failure("\(error)")
        }
    }

    /// - Returns: the first argument of the reply; `nil` for an error, after the patience, or if woken.
    private func answer(
        to call: UInt64, _ connection: borrowing BusConnection, _ waker: Waker
    ) throws(BusFailure) -> BusValue? {
        let end = MachineClock.now.advanced(bySeconds: Self.patience)
        while true {
            while let message = try connection.receive() {
                switch message.content {
                case .reply(call): return message.arguments.first
                case .error(call, _, _): return nil
                case .reply, .error, .signal, .call: continue
                }
            }
            let left = min(end.seconds(since: MachineClock.now), connection.patience)
            guard end > MachineClock.now else { return nil }
            var entries = [
                pollfd(fd: waker.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: connection.descriptor, events: Int16(truncatingIfNeeded: connection.events), revents: 0),
            ]
            _ = poll(&entries, 2, Int32((max(0, left) * 1000).rounded(.up)))
            if entries[0].revents != 0 { return nil }
        }
    }
}
