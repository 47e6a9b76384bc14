import ArgumentParser
import Glibc
import Machine

/// The terminal as the monitor uses it: a screen of its own, without cursor and echo. Leaving it gives back the screen,
/// cursor and modes there were.
///
/// Sequences are xterm's, which every terminal of today knows: 1049 is the other screen, 25 the cursor.
struct Terminal {
    private let original: termios?

    /// - Throws: why there can be no screen, and what to do instead.
    init() throws {
        guard isatty(STDOUT_FILENO) == 1 else {
            throw Failure(
                code: ExitCodes.usage, message: "the monitor needs a terminal; `locctl watch` writes line by line")
        }
        guard TerminalStyle.canMoveCursor else {
            throw Failure(
                code: ExitCodes.usage,
                message: "the monitor needs a terminal that can move its cursor, and TERM names none; "
                    + "`locctl watch` writes line by line")
        }
        var settings = termios()
        original = tcgetattr(STDIN_FILENO, &settings) == 0 ? settings : nil
    }

    /// Keys can be read.
    var hasKeys: Bool { original != nil }

    func enter() {
        if var settings = original {
            // Ctrl-C and Ctrl-Z stay signals; Ctrl-S must not hold up what is written.
            settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
            settings.c_iflag &= ~tcflag_t(IXON)
            tcsetattr(STDIN_FILENO, TCSANOW, &settings)
        }
        write("\u{1b}[?1049h\u{1b}[?25l")
    }

    func leave() {
        // Cleared first: a terminal that was resized meanwhile may keep some of this screen beside the old one.
        write("\u{1b}[0m\u{1b}[H\u{1b}[2J\u{1b}[?25h\u{1b}[?1049l")
        // Keys that were hit too late are not for the shell.
        if var settings = original { tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings) }
    }

    func write(_ text: String) {
        Output.writeBytes(Array(text.utf8), to: STDOUT_FILENO)
    }

    /// The keys that were hit, or `nil` when there will be no more.
    func readKeys() -> [UInt8]? {
        var keys = [UInt8](repeating: 0, count: 64)
        let count = read(STDIN_FILENO, &keys, keys.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return [] }
        return count > 0 ? Array(keys.prefix(count)) : nil
    }

    /// Columns and rows, as good as is known.
    static var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }
}

/// What the terminal shows, so that only what differs is written again.
struct TerminalPicture {
    private var shown: [ScreenLine]?
    private var size: (columns: Int, rows: Int) = (0, 0)

    /// The terminal shows something else.
    mutating func invalidate() {
        shown = nil
    }

    /// What to write, in one piece, so that the terminal shows these lines from its first row on; empty if it does.
    mutating func change(to lines: [ScreenLine], columns: Int, rows: Int) -> String {
        if size != (columns, rows) { shown = nil }
        size = (columns, rows)
        var text = shown == nil ? "\u{1b}[0m\u{1b}[2J" : ""
        for row in 0..<max(lines.count, shown?.count ?? 0) {
            let line = row < lines.count ? lines[row] : nil
            guard shown.map({ row < $0.count ? $0[row] : nil }) != .some(line) || shown == nil else { continue }
            text += "\u{1b}[\(row + 1);1H\(line?.encoded ?? "")"
            // Beyond the last column there is nothing to erase, and some terminals would erase that column.
            if (line?.width ?? 0) < columns { text += "\u{1b}[K" }
        }
        shown = lines
        return text
    }
}

/// The signals that concern a screen, taken by a thread of their own so that they meet no half-drawn one.
enum TerminalSignals {
    /// From now on signals become requests. To be called before there is any other thread, which would take them.
    ///
    /// - Throws: that there can be no thread.
    static func forward(to shared: MonitorSharedState) throws {
        try Signals.handle([SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT]) { number in
            switch number {
            case SIGWINCH, SIGCONT: shared.request(.redraw)
            case SIGTSTP: shared.request(.suspend)
            default: shared.request(.end)
            }
        }
    }

    /// Stops the process, as Ctrl-Z does by itself, and returns when it is continued.
    static func suspend() {
        var stop = Signals.set(of: [SIGTSTP])
        pthread_sigmask(SIG_UNBLOCK, &stop, nil)
        raise(SIGTSTP)
        pthread_sigmask(SIG_BLOCK, &stop, nil)
    }

    /// From now on a process in the background may set its terminal's modes back without being stopped for it.
    static func allowLeavingFromBackground() {
        var output = Signals.set(of: [SIGTTOU])
        pthread_sigmask(SIG_BLOCK, &output, nil)
    }
}

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
