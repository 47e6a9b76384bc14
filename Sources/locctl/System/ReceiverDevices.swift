import Glibc

/// The device files that may belong to a receiver.
enum ReceiverDevices {
    /// Prefixes of receivers' device names: USB modems and serial adapters, and the kernel's GNSS class.
    private static let patterns = ["ttyACM", "ttyUSB", "gnss"]

    static var candidates: [String] {
        guard let directory = opendir("/dev") else { return [] }
        defer { closedir(directory) }
        var found: [String] = []
        while let entry = readdir(directory) {
            // Read in place: an entry is shorter than its type says, so a copy would read beyond its end.
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if patterns.contains(where: name.hasPrefix) { found.append("/dev/" + name) }
        }
        return found.sorted()
    }

    /// Advice for a local gpsd that has no fix for this reason.
    /// - Returns: `nil` if the reason concerns a gpsd elsewhere, or none at all.
    static func advice(for reason: String?) -> String? {
        guard let reason, ["127.0.0.1:", "[::1]:", "localhost:"].contains(where: reason.contains) else { return nil }
        let found = candidates
        guard !found.isEmpty else {
            return "no receiver is plugged into this machine (no /dev/ttyACM*, /dev/ttyUSB* or /dev/gnss*); "
                + "plug one in, or try the simulator: `locationd --simulate`"
        }
        return "this may be the receiver: \(found.joined(separator: ", ")); add it to gpsd with "
            + "`gpsdctl add \(found[0])`, permanently in /etc/default/gpsd"
    }
}
