import FoundationEssentials
import Glibc
@_spi(Programs) import LocationModel

/// Writes output for people and programs, line by line.
///
/// Output contains names that users have chosen and text from the daemon, and a terminal interprets control characters.
/// Unprintable characters are therefore written as `\u{…}`, and in JSON as JSON escapes. Only a ``ScreenLine``, which
/// escapes its own text, and the control sequences of the live view are written unchanged.
enum Output {
    /// Writes one line; line breaks within it are escaped.
    static func write(_ line: String, to descriptor: Int32 = STDOUT_FILENO) {
        writeBytes(Array((line.escapingUnprintable { $0 == "\t" } + "\n").utf8), to: descriptor)
    }

    static func write(_ line: ScreenLine, to descriptor: Int32 = STDOUT_FILENO) {
        writeBytes(Array((line.encoded + "\n").utf8), to: descriptor)
    }

    /// Writes text with line breaks.
    static func writeText(_ text: String, to descriptor: Int32 = STDOUT_FILENO) {
        // A terminal would overwrite the line after a lone carriage return.
        let lines = text.replacing("\r\n", with: "\n")
        let shown = lines.escapingUnprintable { $0 == "\n" || $0 == "\t" }
        writeBytes(Array((lines == text ? shown : shown.replacing("\n", with: "\r\n")).utf8), to: descriptor)
    }

    /// Writes bytes unchanged. If the reader is gone the program ends, as is usual in a pipe to `head`.
    static func writeBytes(_ bytes: [UInt8], to descriptor: Int32) {
        let code = writeAll(bytes, to: descriptor)
        guard code != 0, descriptor == STDOUT_FILENO else { return }
        write("locctl: cannot write: \(String(cString: strerror(code)))", to: STDERR_FILENO)
        Glibc.exit(ExitCodes.failed)
    }

    /// Writes everything, even if the descriptor was inherited as non-blocking.
    /// - Returns: the error number, or 0.
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

    static func writeJSON(_ value: some Encodable, to descriptor: Int32 = STDOUT_FILENO) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let text = String(decoding: try encoder.encode(value), as: UTF8.self)
        writeBytes(Array((escapingJSON(text) + "\n").utf8), to: descriptor)
    }

    /// Escapes unprintable characters as `\uXXXX`. Outside of strings JSON has none but line breaks.
    static func escapingJSON(_ text: String) -> String {
        guard !text.isPrintable else { return text }
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            guard scalar.isUnprintable, scalar != "\n" else {
                escaped.append(scalar)
                continue
            }
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                let zeros = String(repeating: "0", count: 4 - digits.count)
                escaped.append(contentsOf: "\\u\(zeros)\(digits)".unicodeScalars)
            }
        }
        return String(escaped)
    }

    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
}
