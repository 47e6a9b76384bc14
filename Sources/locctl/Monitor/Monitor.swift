import ArgumentParser
import Glibc
import LocationKit
import SystemClock
import SystemSupport

/// A live screen of everything.
struct Monitor: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows the position, the satellites and the clients on a live screen, until q or Ctrl-C.")

    @OptionGroup var options: ConnectionOptions
    @OptionGroup var terminalStyle: TerminalStyle

    @Flag(help: "Watch what others cause, and start no receiver.")
    var passive = false

    /// Seconds between two frames at least, however fast fixes come.
    private static let shortestFrame = 0.1

    func validate() throws {
        guard !options.json else {
            throw ValidationError("a screen is for people; `locctl watch --json --satellites --heading` tells programs")
        }
    }

    func run() throws {
        let terminal = try Terminal()
        guard let waker = Waker() else { throw Failure(code: ExitCodes.failed, message: "no descriptor is left") }
        let board = MonitorBoard(waker: waker)
        try TerminalSignals.become(requestsOn: board)
        let feed = MonitorFeed(options: .init(socket: options.socket, passive: passive), board: board)
        guard DetachedThread.start(named: "feed", { feed.run() }) else {
            throw Failure(code: ExitCodes.failed, message: "no further thread is allowed")
        }
        terminal.enter()
        draw(on: terminal, from: board)
        TerminalSignals.allowLeavingFromBackground()
        terminal.leave()
    }

    /// Draws when there is something new, and each second because ages grow. Returns when the monitor is to end.
    private func draw(on terminal: Terminal, from board: MonitorBoard) {
        let style = terminalStyle.style
        var picture = TerminalPicture()
        var hasKeys = terminal.hasKeys
        var (last, next) = (BootInstant(seconds: -1), MachineClock.now)
        while true {
            let keys = hasKeys ? STDIN_FILENO : -1
            switch board.waker.wait(for: keys, events: POLLIN, seconds: next.seconds(since: MachineClock.now)) {
            case .ready:
                guard let hit = terminal.readKeys() else {
                    hasKeys = false
                    continue
                }
                if hit.contains(where: "qQ".utf8.contains) { return }
                // Ctrl-L, by which a person asks any screen to be drawn anew.
                if hit.contains(0x0C) { board.request(.redraw) }
                continue
            case .woken:
                board.waker.drain()
                let requests = board.takeRequests()
                if requests.contains(.end) { return }
                if requests.contains(.suspend) {
                    terminal.leave()
                    TerminalSignals.suspend()
                }
                if !requests.isDisjoint(with: [.suspend, .redraw]) {
                    terminal.enter()
                    picture.forget()
                }
                next = min(next, last.advanced(bySeconds: Self.shortestFrame))
            case .timedOut:
                let (now, size) = (MachineClock.now, Terminal.size)
                let screen = MonitorScreen(
                    state: board.current, style: style, columns: size.columns, rows: size.rows, now: now)
                let change = picture.change(to: screen.lines, columns: size.columns, rows: size.rows)
                if !change.isEmpty { terminal.write(change) }
                (last, next) = (now, now.advanced(bySeconds: 1))
            }
        }
    }
}
