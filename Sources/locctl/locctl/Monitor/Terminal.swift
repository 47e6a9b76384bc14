import ArgumentParser
import Glibc
@_spi(Programs) import SystemSupport

/// The terminal of the live view: the alternate screen, without cursor and echo. Leaving it restores screen, cursor and
/// modes.
///
/// The control sequences are xterm's, which current terminals implement: 1049 is the alternate screen, 25 the cursor.
struct Terminal {
    private let original: termios?

    /// - Throws: why there can be no live view, and what to use instead.
    init() throws {
        guard isatty(STDOUT_FILENO) == 1 else {
            throw Failure(
                code: ExitCodes.usage, message: "the live view needs a terminal; `locctl watch` writes line by line")
        }
        guard TerminalStyle.canMoveCursor else {
            throw Failure(
                code: ExitCodes.usage,
                message: "the live view needs a terminal with cursor control, which TERM does not name; "
                    + "`locctl watch` writes line by line")
        }
        var settings = termios()
        original = tcgetattr(STDIN_FILENO, &settings) == 0 ? settings : nil
    }

    /// Whether keys can be read.
    var hasKeys: Bool { original != nil }

    func enter() {
        if var settings = original {
            // Ctrl-C and Ctrl-Z remain signals; Ctrl-S must not block the output.
            settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
            settings.c_iflag &= ~tcflag_t(IXON)
            tcsetattr(STDIN_FILENO, TCSANOW, &settings)
        }
        write("\u{1b}[?1049h\u{1b}[?25l")
    }

    func leave() {
        // Cleared first: a terminal that was resized meanwhile may keep parts of this screen beside the old one.
        write("\u{1b}[0m\u{1b}[H\u{1b}[2J\u{1b}[?25h\u{1b}[?1049l")
        // Keys that were pressed too late are not for the shell.
        if var settings = original { tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings) }
    }

    func write(_ text: String) {
        Output.writeBytes(Array(text.utf8), to: STDOUT_FILENO)
    }

    /// The keys that were pressed; `nil` at the end of input.
    func readKeys() -> [UInt8]? {
        var keys = [UInt8](repeating: 0, count: 64)
        let count = read(STDIN_FILENO, &keys, keys.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return [] }
        return count > 0 ? Array(keys.prefix(count)) : nil
    }

    /// Columns and rows; 80 by 24 if they are not known.
    static var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }
}

/// The lines that the terminal shows, so that only the differences are written.
struct TerminalPicture {
    private var shown: [ScreenLine]?
    private var size: (columns: Int, rows: Int) = (0, 0)

    /// The terminal's contents are not known any more.
    mutating func invalidate() {
        shown = nil
    }

    /// The text to write in order to show these lines from the first row on; empty if they are shown already.
    mutating func change(to lines: [ScreenLine], columns: Int, rows: Int) -> String {
        if size != (columns, rows) { shown = nil }
        size = (columns, rows)
        var text = shown == nil ? "\u{1b}[0m\u{1b}[2J" : ""
        for row in 0..<max(lines.count, shown?.count ?? 0) {
            let line = row < lines.count ? lines[row] : nil
            guard shown.map({ row < $0.count ? $0[row] : nil }) != .some(line) || shown == nil else { continue }
            text += "\u{1b}[\(row + 1);1H\(line?.encoded ?? "")"
            // If the line fills the row there is nothing to erase, and some terminals would erase the last column.
            if (line?.width ?? 0) < columns { text += "\u{1b}[K" }
        }
        shown = lines
        return text
    }
}

/// The signals that concern the screen, handled by a thread of their own, so that drawing is not interrupted.
enum TerminalSignals {
    /// Turns signals into requests. To be called before any other thread is started, for that thread might receive
    /// them.
    ///
    /// - Throws: if no thread can be started.
    static func forward(to shared: MonitorSharedState) throws {
        try Signals.handle([SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT]) { number in
            switch number {
            case SIGWINCH, SIGCONT: shared.request(.redraw)
            case SIGTSTP: shared.request(.suspend)
            default: shared.request(.end)
            }
        }
    }

    /// Stops the process, as the default action of Ctrl-Z does, and returns when it is continued.
    static func suspend() {
        var stop = Signals.set(of: [SIGTSTP])
        pthread_sigmask(SIG_UNBLOCK, &stop, nil)
        raise(SIGTSTP)
        pthread_sigmask(SIG_BLOCK, &stop, nil)
    }

    /// Lets a background process restore the terminal's modes without being stopped for it.
    static func allowLeavingFromBackground() {
        var output = Signals.set(of: [SIGTTOU])
        pthread_sigmask(SIG_BLOCK, &output, nil)
    }
}

/// The options for the terminal's style; by default the environment decides.
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

    /// False if TERM names a terminal without cursor control, or none.
    static var canMoveCursor: Bool { !["dumb", "unknown", nil].contains(variable("TERM")) }

    /// The first of the three variables that is set decides. (POSIX, Environment Variables, 8.2.)
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

extension MonitorSharedState {
    /// Stops the program, or has everything drawn anew, as the signals and keys since the last time ask for.
    ///
    /// - Returns: false if the program is asked to end.
    func carryOutRequests(on terminal: Terminal, _ picture: inout TerminalPicture) -> Bool {
        let requests = consumeRequests()
        guard !requests.contains(.end) else { return false }
        if requests.contains(.suspend) {
            terminal.leave()
            TerminalSignals.suspend()
        }
        if !requests.isDisjoint(with: [.suspend, .redraw]) {
            terminal.enter()
            picture.invalidate()
        }
        return true
    }
}
