import ClientTestSupport
import Foundation
import Glibc
import ProgramTestSupport
import Testing

/// The monitor in a real terminal, beside a real daemon.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct MonitorTests {
    private func start(_ daemon: DaemonProcess, _ arguments: String = "", in terminal: Tmux, socket: String? = nil)
        throws
    {
        try terminal.type(
            "echo before; '\(Products.command)' monitor --socket '\(socket ?? daemon.control)' \(arguments)")
    }

    private func expectShell(in terminal: Tmux) throws {
        try waitUntil("the shell's screen is back") { try terminal.value("alternate_on") == "0" }
        try terminal.awaitText("before")
        #expect(try terminal.value("cursor_flag") == "1")
        try terminal.type("clear; stty -a")
        try terminal.awaitText(" icanon ", " echo ", " ixon ")
    }

    @Test func everySizeHasItsScreenAndTheOldOneComesBack() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        let terminal = try Tmux()
        try start(daemon, in: terminal)
        try terminal.awaitText(
            "● tracking", "SIMULATED", "Position   -0.2", "Satellites", "GPS", "█", " + ", "Clients 1", "q leaves")
        let screen = try terminal.screen()
        #expect(screen.count == 24 && !screen.contains { $0.contains("before") })
        #expect(screen.contains { $0.contains(" W ") && $0.contains(" E") }, "the sky: \(screen)")
        #expect(try terminal.value("cursor_flag") == "0")
        #expect(try terminal.screen(withColours: true).contains { $0.contains("\u{1b}[32m") })
        try terminal.resize(columns: 120, rows: 40)
        try terminal.awaitText(String(repeating: "─", count: 120), "elevation, azimuth")
        try terminal.resize(columns: 40, rows: 10)
        try waitUntil("it is small", details: { "\((try? terminal.screen()) ?? [])" }) {
            let screen = try terminal.screen()
            return screen.count == 10 && screen[0].contains("tracking") && screen[9].contains("q leaves")
        }
        try terminal.press("q")
        try expectShell(in: terminal)
    }

    @Test func aDaemonThatGoesAndComesIsTold() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        let terminal = try Tmux()
        try start(daemon, in: terminal)
        try terminal.awaitText("● tracking", "Position   -0.2")
        try daemon.kill()
        try terminal.awaitText("○ disconnected for ", "trying again", "not current", "Position   -0.2")
        try daemon.start()
        try terminal.awaitText("● tracking", "Clients 1")
        #expect(try !terminal.screen().contains { $0.contains("not current") })
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func signalsEndItInGoodOrder(signal: Int32) throws {
        let daemon = try DaemonProcess(Settings.simulator())
        let terminal = try Tmux()
        try start(daemon, in: terminal)
        try terminal.awaitText("● tracking")
        kill(try #require(try terminal.childOfShell()), signal)
        try expectShell(in: terminal)
    }

    @Test func stoppingGivesTheShellBackAndContinuingDrawsAnew() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        let terminal = try Tmux()
        try start(daemon, in: terminal)
        try terminal.awaitText("● tracking")
        try terminal.press("C-z")
        try expectShell(in: terminal)
        try terminal.type("fg")
        try waitUntil("it is back") { try terminal.value("alternate_on") == "1" }
        try terminal.awaitText("● tracking", "Clients 1", "q leaves")
        try terminal.press("C-c")
        try waitUntil("it is gone") { try terminal.value("alternate_on") == "0" }
    }

    @Test func whoMayNotSeeClientsIsToldWhoMay() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        let terminal = try Tmux(columns: 120, environment: ["NO_COLOR": "1"])
        try start(daemon, "--ascii --no-colour", in: terminal, socket: daemon.socket)
        try terminal.awaitText("* tracking", "the list needs the control socket", "########")
        let screen = try terminal.screen(withColours: true).joined()
        #expect(screen.utf8.allSatisfy { $0 < 0x80 && $0 != 0x1B })
    }

    @Test func aPlaceWithoutAScreenIsRefused() throws {
        let daemon = try DaemonProcess(Settings.fixed)
        let answer = try daemon.locctl("monitor")
        #expect(answer.code == 2 && answer.errors.contains("`locctl watch` writes line by line"), "\(answer)")
        let terminal = try Tmux(columns: 120, environment: ["TERM": "dumb"])
        try start(daemon, in: terminal)
        try terminal.awaitText("TERM does not name")
    }

    @Test func watchOnATerminalIsATable() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        let terminal = try Tmux(rows: 12)
        try terminal.type("clear; '\(Products.command)' watch --count 3 --socket '\(daemon.socket)'; echo code $?")
        try terminal.awaitText("code 0")
        let screen = try terminal.screen()
        let header = try #require(screen.firstIndex { $0.contains("LATITUDE") })
        #expect(screen[header].contains(" TIME "), "\(screen)")
        #expect(screen.count { $0.contains("LATITUDE") } == 1)
        let rows = screen[(header + 1)...].prefix { $0.contains(" m/s ") }
        #expect(rows.count == 3 && rows.allSatisfy { $0.contains("sim 3D") }, "\(screen)")
        let ends = rows.map { $0.firstRange(of: " m/s").map { $0.lowerBound.utf16Offset(in: screen[header]) } }
        #expect(Set(ends).count == 1, "the columns stand: \(screen)")
        // Elsewhere it stays what programs may rely on.
        #expect(try daemon.locctl("watch", "--count", "1").output.contains(", simulated)"))
    }
}
