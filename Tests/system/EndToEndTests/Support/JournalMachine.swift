import Foundation
import Glibc
import ProgramTestSupport

/// A real journald with a place of its own to keep its journal, and programs whose standard error is its stream.
///
/// It lives in a mount namespace where `/run` is a folder of the test's, so that neither it nor the machine's own
/// journal notices the other. It is started again whenever it ends.
final class JournalMachine {
    private let folder: TemporaryFolder
    private let process: LoggedProcess

    /// One message with its fields.
    typealias Entry = [String: String]

    /// Only root may mount, and not everywhere.
    static let isPossible: Bool =
        geteuid() == 0
        && (try? LoggedProcess(
            "unshare", ["--mount", "--propagation", "private", "mount", "-t", "tmpfs", "none", "/run"]
        )
        .wait())
            == 0

    /// Starts it and waits until it listens.
    init() throws {
        folder = try TemporaryFolder()
        let script = """
            mkdir -p "$1/systemd/journal" "$1/systemd/journald.conf.d" "$1/log/journal"
            printf '[Journal]\\n%s\\n' Storage=volatile ReadKMsg=no Audit= ForwardToSyslog=no ForwardToWall=no \\
                RateLimitIntervalSec=0 >"$1/systemd/journald.conf.d/test.conf"
            mount --bind "$1" /run || exit
            trap 'kill $journal; wait; exit' TERM
            while true; do
                setpriv --pdeathsig KILL /lib/systemd/systemd-journald & journal=$!
                wait $journal
            done
            """
        process = try LoggedProcess(
            "unshare", ["--mount", "--propagation", "private", "bash", "-c", script, "bash", folder.path])
        try waitUntil("journald listens", details: { process.errors }) { isListening }
    }

    deinit {
        process.signal(SIGTERM)
        _ = try? process.wait(within: 10)
    }

    var isListening: Bool {
        FileManager.default.fileExists(atPath: folder.path + "/systemd/journal/stdout")
            && FileManager.default.fileExists(atPath: folder.path + "/systemd/journal/socket")
    }

    /// Starts a program as a service of systemd has it: its outputs are a stream to the journal.
    func start(_ program: String, _ arguments: [String]) throws -> LoggedProcess {
        // Of systemd 252 and before, systemd-cat does not announce its stream.
        let announcing = "JOURNAL_STREAM=$(stat -L -c %d:%i /dev/fd/2) exec \"$@\""
        return try LoggedProcess(
            "nsenter",
            ["--target", "\(process.pid)", "--mount", "systemd-cat", "sh", "-c", announcing, "sh", program] + arguments)
    }

    /// Ends journald without a word; another one takes its place.
    func killJournal() throws {
        let former = try journalProcess()
        kill(former, SIGKILL)
        try waitUntil("another journald runs") { try journalProcess() != former && isListening }
    }

    /// Where it takes messages in their native form.
    var socket: String { folder.path + "/systemd/journal/socket" }

    /// What the journal has with all of these fields, oldest first.
    func entries(_ fields: [String] = []) throws -> [Entry] {
        let child = try LoggedProcess(
            "journalctl",
            ["--directory", folder.path + "/log/journal", "--output", "json", "--all", "--quiet"] + fields)
        _ = try child.wait()
        return try child.output.split(separator: "\n").compactMap { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return object?.compactMapValues { $0 as? String }
        }
    }

    /// Waits for one with these fields.
    func entry(_ fields: String...) throws -> Entry {
        try waitUntil("the journal has \(fields)", details: { (try? "\(entries())") ?? "" }) {
            try entries(fields).first
        }
    }

    private func journalProcess() throws -> pid_t {
        try waitUntil("journald runs") {
            text(of: "/proc/\(process.pid)/task/\(process.pid)/children").split(separator: " ").first.flatMap {
                pid_t($0)
            }
        }
    }
}
