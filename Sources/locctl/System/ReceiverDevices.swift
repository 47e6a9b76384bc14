import Glibc

/// What is plugged in that may be a receiver, seen from the device files.
enum ReceiverDevices {
    /// Names that receivers get: USB modems and serial adapters, the kernel's own GNSS class.
    private static let patterns = ["ttyACM", "ttyUSB", "gnss"]

    static var candidates: [String] {
        guard let directory = opendir("/dev") else { return [] }
        defer { closedir(directory) }
        var found: [String] = []
        while let entry = readdir(directory) {
            // In place: an entry is shorter than the type says, so a copy would read beyond it.
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if patterns.contains(where: name.hasPrefix) { found.append("/dev/" + name) }
        }
        return found.sorted()
    }

    /// What to do on this machine about a gpsd that has no fix for this reason.
    /// - Returns: `nil` where the reason is about a gpsd elsewhere, or about no gpsd at all.
    static func advice(for reason: String?) -> String? {
        guard let reason, ["127.0.0.1:", "[::1]:", "localhost:"].contains(where: reason.contains) else { return nil }
        let found = candidates
        guard !found.isEmpty else {
            return "no receiver is plugged into this machine (no /dev/ttyACM*, /dev/ttyUSB* or /dev/gnss*); "
                + "plug one in, or try the simulator: `locationd --simulate`"
        }
        return "this may be the receiver: \(found.joined(separator: ", ")); let gpsd have it by "
            + "`gpsdctl add \(found[0])`, for good in /etc/default/gpsd"
    }
}
