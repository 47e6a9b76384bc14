import FoundationEssentials
import Glibc
import LocationModel

/// What people and programs read, written line by line as it comes.
///
/// Much of it is what others have named and what a daemon says, and a terminal obeys control characters: whatever a
/// terminal would not show is written as `\u{…}`, in JSON as JSON escapes it. Only a ``ScreenLine``, which is made harmless
/// as it is made, and the sequences of the live screen go out as they are.
enum Output {
    /// Writes one line; line ends within it are none.
    static func write(_ line: String, to descriptor: Int32 = STDOUT_FILENO) {
        writeBytes(Array((line.escapingUnprintable { $0 == "\t" } + "\n").utf8), to: descriptor)
    }

    static func write(_ line: ScreenLine, to descriptor: Int32 = STDOUT_FILENO) {
        writeBytes(Array((line.encoded + "\n").utf8), to: descriptor)
    }

    /// Writes text that has its own line ends.
    static func writeText(_ text: String, to descriptor: Int32 = STDOUT_FILENO) {
        // A carriage return alone would have the terminal write over the line.
        let lines = text.replacing("\r\n", with: "\n")
        let shown = lines.escapingUnprintable { $0 == "\n" || $0 == "\t" }
        writeBytes(Array((lines == text ? shown : shown.replacing("\n", with: "\r\n")).utf8), to: descriptor)
    }

    /// Writes bytes as they are. A reader that is gone ends the program, as `head` expects of others.
    static func writeBytes(_ bytes: [UInt8], to descriptor: Int32) {
        let code = writeAll(bytes, to: descriptor)
        guard code != 0, descriptor == STDOUT_FILENO else { return }
        write("locctl: cannot write: \(String(cString: strerror(code)))", to: STDERR_FILENO)
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
        let text = String(decoding: try encoder.encode(value), as: UTF8.self)
        writeBytes(Array((escapingJSON(text) + "\n").utf8), to: STDOUT_FILENO)
    }

    /// The same JSON with what a terminal would not show as `\uXXXX`; outside of texts JSON has none of that but line ends.
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
