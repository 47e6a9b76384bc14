/// How many connections there is room for: over it the daemon refuses, lest the system end it, or let it starve.
enum ConnectionCapacity {
    /// The connection itself, and the process that made it.
    private static let descriptorsEach = 2
    /// 128 for 64 connections that are being refused, the others for sources, the disk and the daemon's own.
    private static let descriptorsKept = 256
    /// The kernel holds up to 113 KiB for one who does not read, on the daemon's account, and keeps them when the daemon
    /// is gone; a call in parts has up to 64 KiB, and what is known of a client takes the rest.
    private static let bytesEach = 192 << 10
    /// Twice what a daemon without clients has.
    private static let bytesKept = 64 << 20

    /// At least one.
    /// - Parameters:
    ///   - descriptors: how many the process may have.
    ///   - memory: bytes the process may have; `nil` for no limit.
    static func connections(descriptors: Int, memory: Int?) -> Int {
        let described = (descriptors - descriptorsKept) / descriptorsEach
        let remembered = memory.map { ($0 - bytesKept) / bytesEach } ?? .max
        return max(1, min(described, remembered))
    }
}
