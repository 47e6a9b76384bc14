import ArgumentParser
import Glibc

/// How a terminal is written to: as its environment says, unless told otherwise.
struct TerminalStyle: ParsableArguments {
    @Flag(help: "Use ASCII only; the default where the locale is not UTF-8.")
    var ascii = false

    @Flag(
        name: [.customLong("no-colour"), .customLong("no-color")],
        help: "Use no colours; the default where NO_COLOR is set.")
    var noColour = false

    var style: ScreenStyle {
        ScreenStyle(
            isASCII: ascii || !Self.isUTF8,
            isColoured: !noColour && Self.variable("NO_COLOR") == nil && Self.canMoveCursor)
    }

    /// False where TERM names a terminal that only writes, or none.
    static var canMoveCursor: Bool { !["dumb", "unknown", nil].contains(variable("TERM")) }

    /// The first of the three that is set decides. (POSIX, Environment Variables, 8.2.)
    private static var isUTF8: Bool {
        let locale = variable("LC_ALL") ?? variable("LC_CTYPE") ?? variable("LANG") ?? ""
        return ["utf-8", "utf8"].contains { locale.lowercased().contains($0) }
    }

    /// - Returns: `nil` if it is not set, or empty.
    private static func variable(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }
}
