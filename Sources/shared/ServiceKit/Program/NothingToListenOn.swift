/// Neither systemd nor the flags nor the configuration name a socket.
package struct NothingToListenOn: UsageError, CustomStringConvertible {
    package let description: String

    /// - Parameters:
    ///   - unit: the socket unit to start.
    ///   - settings: the flags and keys that name a socket, with their verb.
    package init(unit: String, or settings: String) {
        description = "there is nothing to listen on: start \(unit) instead, or \(settings)"
    }
}

/// systemd passes no socket, and no flag names one.
package struct NoSocket: Error, CustomStringConvertible {
    package let description: String

    /// - Parameter unit: what to start, with the word that fits: `locationd-places.socket instead`.
    package init(start unit: String) {
        description = "systemd passes no socket; start \(unit), or name a path by --socket"
    }
}
