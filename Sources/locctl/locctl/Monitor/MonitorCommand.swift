import ArgumentParser
import Glibc
@_spi(Programs) import LocationKit
@_spi(Programs) import SystemSupport

/// `locctl monitor`: a live view of position, satellites and clients.
struct MonitorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "monitor",
        abstract: "Shows a live view of the position, the satellites and the clients, until q or Ctrl-C.")

    @Option(help: ArgumentHelp("The daemon's socket.", valueName: "path"), completion: .file())
    var socket: String?

    /// Accepted to refuse it in words.
    @Flag(help: .hidden)
    var json = false

    @OptionGroup var terminalStyle: TerminalStyle

    @Flag(help: "Start no receiver; show what other programs request.")
    var passive = false

    @Flag(help: "Show estimates in place of fixes.")
    var estimate = false

    /// The least time between two frames, seconds.
    private static let shortestFrame = 0.1

    func validate() throws {
        guard !json else {
            throw ValidationError("the live view has no JSON output; use `locctl watch --json --satellites --heading`")
        }
    }

    func run() throws {
        let terminal = try Terminal()
        guard let waker = Waker() else { throw Failure(code: ExitCodes.failed, message: "no descriptor is left") }
        let shared = MonitorSharedState(waker: waker)
        try TerminalSignals.forward(to: shared)
        let feed = MonitorFeed(options: .init(socket: socket, passive: passive, estimate: estimate), shared: shared)
        guard DetachedThread.start(named: "feed", { feed.run() }) else {
            throw Failure(code: ExitCodes.failed, message: "no further thread is allowed")
        }
        terminal.enter()
        draw(on: terminal, from: shared)
        TerminalSignals.allowLeavingFromBackground()
        terminal.leave()
    }

    /// Draws after each change, and every second because ages grow. Returns when the command is asked to end.
    private func draw(on terminal: Terminal, from shared: MonitorSharedState) {
        let style = terminalStyle.style
        var picture = TerminalPicture()
        var hasKeys = terminal.hasKeys
        var (last, next) = (BootInstant(seconds: -1), MachineClock.now)
        while true {
            let keys = hasKeys ? STDIN_FILENO : -1
            switch shared.waker.wait(for: keys, events: POLLIN, seconds: next.seconds(since: MachineClock.now)) {
            case .ready:
                guard let hit = terminal.readKeys() else {
                    hasKeys = false
                    continue
                }
                if hit.contains(where: "qQ".utf8.contains) { return }
                // Ctrl-L redraws the screen.
                if hit.contains(0x0C) { shared.request(.redraw) }
                continue
            case .woken:
                shared.waker.drain()
                guard shared.carryOutRequests(on: terminal, &picture) else { return }
                next = min(next, last.advanced(bySeconds: Self.shortestFrame))
            case .timedOut:
                let (now, size) = (MachineClock.now, Terminal.size)
                let screen = MonitorScreen(
                    state: shared.current, style: style, columns: size.columns, rows: size.rows, now: now,
                    clock: .machine)
                let change = picture.change(to: screen.lines, columns: size.columns, rows: size.rows)
                if !change.isEmpty { terminal.write(change) }
                (last, next) = (now, now.advanced(bySeconds: 1))
            }
        }
    }
}
