import TestSupport

/// TCP on this machine, seen from outside.
extension LoopbackPort {
    /// Whether somebody listens, by the kernel's list: the near end's address is the second column, the state the
    /// fourth, and 0A says so.
    static func isListening(_ port: UInt16) -> Bool {
        let suffix = ":" + hexadecimal(port)
        return text(of: "/proc/net/tcp").split(separator: "\n").contains { line in
            let columns = line.split(separator: " ")
            return columns.count > 3 && columns[1].hasSuffix(suffix) && columns[3] == "0A"
        }
    }

    private static func hexadecimal(_ port: UInt16) -> String {
        let digits = String(port, radix: 16, uppercase: true)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}
