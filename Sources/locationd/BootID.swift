import SystemSupport

/// What tells one boot of the machine from another.
enum BootID {
    /// `nil` if the system does not say.
    static var current: String? {
        let file = AtomicFile(path: "/proc/sys/kernel/random/boot_id")
        guard let bytes = try? file.content(limit: 64) else { return nil }
        return String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self)
    }
}
