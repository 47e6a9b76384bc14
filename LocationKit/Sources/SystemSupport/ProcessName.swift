import Glibc

/// What the kernel calls a process: the first 15 bytes of its program's name, unless the process has changed that.
@_spi(Programs) public enum ProcessName {
    /// - Returns: `nil` if there is no such process, or its name is empty.
    @_spi(Programs) public static func of(_ pid: Int) -> String? {
        let file = open("/proc/\(pid)/comm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(file, &bytes, bytes.count)
        let name = String(decoding: bytes.prefix(max(0, count)).prefix { $0 != 0x0A }, as: UTF8.self)
        return name.isEmpty ? nil : name
    }
}
