/// The ports at which a service listens by its own configuration: nobody holds them while it does not run, so another
/// user's program can listen there, and answer in its place. A socket of systemd is held all the time.
package enum UnheldPorts {
    /// Only root's programs may listen at lower ports, unless the kernel is set otherwise.
    private static let lowestOfAnybody = 1024

    /// - Parameters:
    ///   - harm: what another program could do.
    ///   - unit: the socket unit that can hold them.
    /// - Returns: what to do, for the log; `nil` if there is no such port.
    package static func warning(
        about addresses: [LoopbackAddress], harm: String, setting: String, unit: String
    ) -> String? {
        let open = addresses.filter { $0.port >= lowestOfAnybody }
        guard !open.isEmpty else { return nil }
        let list = open.map(\.description).joined(separator: " and ")
        let lines = open.map { "ListenStream=\($0)" }.joined(separator: " and ")
        return "while this program does not run, another user's can listen at \(list), and \(harm); "
            + "let systemd hold it: remove \(setting), and add \(lines) below [Socket] by `systemctl edit \(unit)`"
    }
}
