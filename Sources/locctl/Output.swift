import FoundationEssentials
import Glibc

/// What people and programs read, written line by line as it comes.
enum Output {
    static func write(_ line: String, to descriptor: Int32 = STDOUT_FILENO) {
        writeText(line.hasSuffix("\n") ? line : line + "\n", to: descriptor)
    }

    /// Writes text that has its own line ends. A reader that is gone ends the program, as `head` expects of others.
    static func writeText(_ text: String, to descriptor: Int32 = STDOUT_FILENO) {
        writeBytes(Array(text.utf8), to: descriptor)
    }

    static func writeBytes(_ bytes: [UInt8], to descriptor: Int32) {
        let code = writeAll(bytes, to: descriptor)
        guard code != 0, descriptor == STDOUT_FILENO else { return }
        writeText("locctl: cannot write: \(String(cString: strerror(code)))\n", to: STDERR_FILENO)
        Glibc.exit(ExitCodes.failed)
    }

    /// Writes everything, also where whoever started this program has its output wait for nothing.
    /// - Returns: the system's number of what went wrong, or 0.
    static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&entry, 1, -1)
                continue
            }
            guard count > 0 else { return errno }
            written += count
        }
        return 0
    }

    static func writeJSON(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        write(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
}
