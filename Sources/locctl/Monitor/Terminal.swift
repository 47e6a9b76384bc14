import Glibc
import SystemSupport

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
