import ClientTestSupport
import Foundation
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

/// The daemon with the provider of the examples.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct ProviderDaemonTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var socket: String { folder("provider") }

    private func start() throws -> DaemonProcess {
        try DaemonProcess("[delivery]\nlinger = 0.5\n[[sources]]\nkind = \"provider\"\nsocket = \"\(socket)\"\n")
    }

    private func startProvider() throws -> LoggedProcess {
        let script = Repository.root.appending(path: "Examples/Provider/provider.py").path
        return try LoggedProcess("python3", [script, socket, "52.5", "13.4", "30"])
    }

    @Test func positionIsShownAsWhatItIs() throws {
        let provider = try startProvider()
        defer { provider.signal(SIGKILL) }
        let daemon = try start()
        let answer = try daemon.locctl("get", "--timeout", "60", within: 90)
        #expect(answer.code == 0 && answer.output.contains("±30 m"), "\(answer)")
        #expect(answer.output.contains("network position, not measured"), "\(answer)")
        let json = try daemon.locctl("get", "--json", "--timeout", "60", within: 90)
        #expect(json.output.contains(#""method":"network""#), "\(json)")
        let sentences = try daemon.locctl("watch", "--format", "nmea", "--count", "1", within: 90)
        #expect(sentences.output.contains(",E,6,") && sentences.output.contains(",,,E*"), "\(sentences)")
    }

    @Test func absenceIsSaidWithWhatToDoAndEnds() throws {
        let daemon = try start()
        let watch = try daemon.watch()
        try waitUntil("the reason is said") {
            try daemon.status().reason?.contains("no provider listens at \(socket)") == true
        }
        let diagnosis = try daemon.locctl("diagnose")
        #expect(diagnosis.code != 0 && diagnosis.output.contains("no provider listens at"), "\(diagnosis)")
        let provider = try startProvider()
        defer { provider.signal(SIGKILL) }
        try watch.awaitLocation()
        provider.signal(SIGKILL)
        try waitUntil("its end is said") {
            try daemon.status().reason?.contains("provider") == true
        }
    }

    /// From the option of a command to the call over the provider's socket.
    @Test func providerIsToldWhatSuffices() throws {
        let listener = try SocketFile.listener(at: socket)
        defer { close(listener) }
        let daemon = try start()
        let watch = try LoggedProcess(
            Products.command, ["watch", "--desired-accuracy", "170", "--socket", daemon.socket])
        defer { watch.signal(SIGKILL) }
        // The first call may come before the daemon has said what suffices.
        var connections: [UnixSocket] = []
        var calls = ""
        try waitUntil("the provider is told", details: { calls + watch.errors }) {
            if let connection = UnixSocket(acceptedBy: listener) { connections.append(connection) }
            for connection in connections {
                calls += String(decoding: try connection.read(forMilliseconds: 0) ?? [], as: UTF8.self)
            }
            return calls.contains(#""desiredAccuracy":170"#)
        }
    }

    /// Who is satisfied with 30 m has them without a receiver; who is not starts it.
    @Test func receiverRunsForWhoWantsMoreThanTheProviderKnows() throws {
        let provider = try startProvider()
        defer { provider.signal(SIGKILL) }
        let receiver = try Receiver()
        let gpsd = try GPSD([receiver.path])
        let daemon = try DaemonProcess(
            "\(Settings.gpsd(gpsd.port))\n"
                + "[[sources]]\nkind = \"provider\"\nsocket = \"\(socket)\"\n")
        for option in ["--accuracy", "--desired-accuracy"] {
            let modest = try daemon.locctl("get", option, "100", "--json", "--timeout", "60", within: 90)
            #expect(modest.output.contains(#""method":"network""#), "\(modest)")
            #expect(gpsd.clients == 0, "the receiver is not started")
        }
        let best = try daemon.locctl("get", "--accuracy", "25", "--json", "--timeout", "60", within: 90)
        #expect(best.output.contains(#""method":"gnss""#), "\(best)")
        let statistics = try daemon.locctl("statistics")
        #expect(statistics.output.contains("while the network sufficed"), "\(statistics)")
    }
}
