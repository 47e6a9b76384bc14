@_spi(Programs) import SystemSupport

/// The device files that may belong to a receiver.
enum ReceiverDevices {
    /// Prefixes of receivers' device names: USB modems and serial adapters, and the kernel's GNSS class.
    private static let patterns = ["ttyACM", "ttyUSB", "gnss"]

    static var candidates: [String] {
        let names = (try? FileNames.of("/dev")) ?? []
        return names.filter { name in patterns.contains(where: name.hasPrefix) }.map { "/dev/\($0)" }
    }

    /// Advice for a local gpsd that has no fix for this reason.
    /// - Parameter found: the device files that may belong to a receiver.
    /// - Returns: `nil` if the reason concerns a gpsd elsewhere, or none at all.
    static func advice(for reason: String?, _ found: [String] = candidates) -> String? {
        guard let reason, ["127.0.0.1:", "[::1]:", "localhost:"].contains(where: reason.contains) else { return nil }
        // Without gpsd nobody looks for a receiver.
        if let command = reason.split(separator: "`").first(where: { $0.hasPrefix("systemctl start ") }) {
            return "`sudo \(command)`"
        }
        guard !found.isEmpty else {
            return "no receiver is plugged into this machine (no /dev/ttyACM*, /dev/ttyUSB* or /dev/gnss*); "
                + "plug one in, or try the simulator: `locationd --simulate`"
        }
        return "this may be the receiver: \(found.joined(separator: ", ")); add it to gpsd with "
            + "`gpsdctl add \(found[0])`, permanently in /etc/default/gpsd"
    }
}
