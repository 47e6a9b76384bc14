import ClientTestSupport
import Glibc
import ProgramTestSupport
@_spi(Programs) import SystemSupport
import Testing

/// A daemon that is there and says nothing is an outage like any other, within fifteen seconds.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct SilentDaemonTests {
    enum Silence: CaseIterable {
        /// It takes calls and answers none, as systemd's socket does for a daemon that cannot start.
        case unanswered
        /// It sends the half of a reply.
        case half
        /// Nobody accepts the connection.
        case unaccepted
        /// The real daemon, stopped by a signal.
        case stopped
    }

    /// A socket behind which there is such a daemon, until it is released.
    private final class SilentDaemon {
        let path: String
        private let folder = Result { try TemporaryFolder() }
        private var listener: Int32 = -1
        private var daemon: DaemonProcess?

        init(_ silence: Silence) throws {
            guard silence != .stopped else {
                let daemon = try DaemonProcess(Settings.fixed)
                (path, self.daemon) = (daemon.control, daemon)
                daemon.process.signal(SIGSTOP)
                return
            }
            path = try folder.get()("silent.sock")
            listener = try SocketFile.listener(at: path)
            guard silence != .unaccepted else { return }
            let text = silence == .half ? #"{"continues":true,"parameters":{"status":{"accu"# : ""
            let listener = listener
            let isStarted = DetachedThread.start(named: "silent") {
                while case let connection = accept(listener, nil, nil), connection >= 0 {
                    _ = send(connection, text, text.utf8.count, Int32(MSG_NOSIGNAL))
                }
                close(listener)
            }
            guard isStarted else { throw Failure("no further thread is allowed") }
        }

        deinit {
            if listener >= 0 { shutdown(listener, Int32(SHUT_RDWR)) }
            daemon?.process.signal(SIGCONT)
        }
    }

    @Test(arguments: Silence.allCases)
    func programsOfGPSDAndTheJournalAreTold(silence: Silence) throws {
        let (daemon, folder) = (try SilentDaemon(silence), try TemporaryFolder())
        let path = folder("gpsd.sock")
        let bridge = try LoggedProcess(
            Products.path(of: "locationd-bridge"), ["--daemon", daemon.path, "--gpsd-socket", path])
        defer { bridge.signal(SIGTERM) }
        let clients = try (0..<3).map { _ in
            try waitUntil("it listens", details: { bridge.errors }) { try? UnixSocket(path: path) }
        }
        let start = ContinuousClock.now
        for client in clients { try client.write(Array(#"?WATCH={"enable":true,"json":true};"#.utf8)) }
        for client in clients {
            var text = ""
            try waitUntil("a report without fix", within: 60, details: { text + bridge.errors }) {
                text += String(decoding: try client.read(forMilliseconds: 0) ?? [], as: UTF8.self)
                return text.contains(#""class":"ERROR""#) && text.contains(#""mode":0"#)
            }
        }
        #expect(ContinuousClock.now - start < .seconds(15))
        let lines = bridge.errors.split(separator: "\n").filter { $0.contains("no answer of locationd") }
        #expect(lines.count == 1, "\(bridge.errors)")
        withExtendedLifetime(daemon) {}
    }

    @Test(arguments: Silence.allCases)
    func locctlSaysWhatIsAmiss(silence: Silence) throws {
        let daemon = try SilentDaemon(silence)
        let start = ContinuousClock.now
        let commands = try [["watch"], ["status"]].map {
            try LoggedProcess(Products.command, $0, environment: ["LOCATIOND_SOCKET": daemon.path])
        }
        for command in commands {
            let code = try command.wait(within: 60)
            #expect(code != 0)
            #expect(command.errors.contains("answer") || command.errors.contains("accepts"), "\(command.errors)")
        }
        #expect(ContinuousClock.now - start < .seconds(25))
        withExtendedLifetime(daemon) {}
    }
}
