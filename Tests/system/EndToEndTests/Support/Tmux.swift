import Foundation
import ProgramTestSupport

/// A real terminal with a shell in it, whose screen a test can read.
final class Tmux {
    private let folder: TemporaryFolder

    /// - Parameter environment: what programs in it find, beside a locale that is UTF-8.
    init(columns: Int = 80, rows: Int = 24, environment: [String: String] = [:]) throws {
        folder = try TemporaryFolder()
        let variables = environment.merging(["PS1": "shell> ", "TERM": "screen-256color", "LC_ALL": "C.UTF-8"]) {
            own, _ in own
        }
        try run(
            ["new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", "env", "-u", "NO_COLOR"]
                + variables.map { "\($0)=\($1)" } + ["sh", "-i"])
        try run(["set-option", "-g", "window-size", "manual"])
        try awaitText("shell>")
    }

    deinit { _ = try? run(["kill-server"]) }

    /// What it shows now, a line per row.
    func screen(withColours: Bool = false) throws -> [String] {
        try run(["capture-pane", "-p"] + (withColours ? ["-e"] : [])).components(separatedBy: "\n").dropLast()
    }

    /// Waits until the screen says all of this at once.
    func awaitText(_ words: String..., within seconds: Double = 30) throws {
        try waitUntil(
            "the screen says \(words)", within: seconds, details: { (try? screen().joined(separator: "\n")) ?? "" }
        ) {
            let text = try screen().joined(separator: "\n")
            return words.allSatisfy(text.contains)
        }
    }

    func type(_ line: String) throws {
        try run(["send-keys", "-l", line])
        try press("Enter")
    }

    func press(_ key: String) throws { try run(["send-keys", key]) }

    func resize(columns: Int, rows: Int) throws {
        try run(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
    }

    /// A variable of tmux, such as `cursor_flag`.
    func value(_ name: String) throws -> String {
        try run(["display-message", "-p", "#{\(name)}"]).trimmingCharacters(in: .newlines)
    }

    /// The process that the shell runs.
    func childOfShell() throws -> Int32? {
        let shell = try value("pane_pid")
        return text(of: "/proc/\(shell)/task/\(shell)/children").split(separator: " ").first.flatMap { Int32($0) }
    }

    @discardableResult
    private func run(_ words: [String]) throws -> String {
        let command = ["-u", "-S", folder("tmux"), "-f", "/dev/null"] + words
        let child = try LoggedProcess("tmux", command, environment: ["LC_ALL": "C.UTF-8"])
        guard try child.wait() == 0 else { throw Failure("tmux \(words): \(child.errors)") }
        return child.output
    }
}
