import Glibc
import ProgramTestSupport
import Testing

/// A command that is asked to end, at any moment and in any way.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct InterruptionTests {
    private static let first = ScriptedReply.status("authorizedAlways", reason: nil, continues: true)

    private func command(
        _ option: String, _ words: [String], on service: ScriptedService
    ) throws -> LoggedProcess {
        try LoggedProcess(option, words, environment: ["LOCATIOND_SOCKET": service.socket])
    }

    @Test(arguments: ["INT", "TERM", "HUP"])
    func signalFromBeforeTheFirstStepIsHeard(name: String) throws {
        let service = try ScriptedService(["Watch": [Self.first]])
        // It waits for somebody to take it when the command begins.
        let script = #"kill -\#(name) $$; exec "$0" watch --format gpx"#
        let child = try command("--block-signal=\(name)", ["bash", "-c", script, Products.command], on: service)
        let code = try withExtendedLifetime(service) { try child.wait() }
        #expect(code == 0, "\(child.errors)")
        #expect(child.output.hasSuffix("</gpx>\n"))
    }

    /// By timeout(1) two signals come in a row: to the program, and to its process group.
    @Test(arguments: [[SIGINT], [SIGTERM], [SIGHUP], [SIGINT, SIGTERM], [SIGTERM, SIGINT, SIGTERM]])
    func fileIsClosedAfterASignal(numbers: [Int32]) throws {
        let service = try ScriptedService(["Watch": [Self.first, ScriptedReply.location(continues: true)]])
        let child = try service.start(["watch", "--format", "gpx"])
        try waitUntil("a point comes", details: { child.errors }) { child.output.contains("<trkpt ") }
        for number in numbers { child.signal(number) }
        let code = try withExtendedLifetime(service) { try child.wait() }
        #expect(code == 0 && child.output.hasSuffix("</gpx>\n"), "\(child.output) \(child.errors)")
    }

    /// As under `nohup`.
    @Test func endOfTheTerminalIsIgnoredWhereItWasBefore() throws {
        let service = try ScriptedService(["Watch": [Self.first]])
        let child = try command("--ignore-signal=HUP", [Products.command, "watch", "--json"], on: service)
        try waitUntil("it watches", details: { child.errors }) { child.output.contains("authorizedAlways") }
        child.signal(SIGHUP)
        try service.say(ScriptedReply.location(continues: true))
        try waitUntil("a location comes", details: { child.errors }) { child.output.contains("latitude") }
        child.signal(SIGINT)
        #expect(try child.wait() == 0)
    }

    @Test func laterSignalEndsWhoWaitsForAReader() throws {
        let words = String(repeating: "x", count: 200_000)
        let service = try ScriptedService([
            "Watch": [ScriptedReply.status("authorizedAlways", reason: words, continues: true)]
        ])
        let pipe = service.folder("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        let reader = open(pipe, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        defer { close(reader) }
        let script = #"exec "$0" watch --json > "$1""#
        let child = try command("sh", ["-c", script, Products.command, pipe], on: service)
        try waitUntil("the pipe is full", details: { child.errors }) {
            var count: Int32 = 0
            return ioctl(reader, UInt(FIONREAD), &count) == 0 && count == 65_536
        }
        let start = ContinuousClock.now
        // The first signal alone would let it wait for ever; those that follow at once belong to it.
        let code = try waitUntil("it ends") {
            child.signal(SIGTERM)
            return child.exitCode
        }
        #expect(code == -SIGTERM && ContinuousClock.now - start >= .milliseconds(500))
        withExtendedLifetime(service) {}
    }
}
