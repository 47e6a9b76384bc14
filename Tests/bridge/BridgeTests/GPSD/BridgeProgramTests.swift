import Glibc
@_spi(Programs) import LocationInterface
import ProgramTestSupport
import Testing

/// The built program, as an administrator starts it.
@Suite(.timeLimit(.minutes(10)))
struct BridgeProgramTests {
    private let folder: TemporaryFolder
    private let program = Products.path(of: "locationd-bridge")

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func whatIsWrongIsSaidAtOnce() async throws {
        let wrong = try folder.write("[gpsd]\nlisten = [\"0.0.0.0:2948\"]\n", to: "wrong.toml")
        let empty = try folder.write("", to: "empty.toml")
        let file = try folder.write("no socket", to: "file")
        for (arguments, code, words) in [
            (
                ["--config", wrong, "--check-config"], Int32(2),
                "wrong.toml:2: gpsd.listen: \"0.0.0.0:2948\" is no address"
            ),
            (["--config", empty, "--check-config"], 0, "the configuration is valid\n"),
            (["--config", folder("absent.toml")], 2, "does not exist; check the path after --config"),
            (["--gpsd-sokket", "/a"], 2, "Did you mean '--gpsd-socket'? See locationd-bridge --help"),
            (["--config", empty], 2, "there is nothing to listen on: start locationd-bridge.socket instead"),
            (["--config", empty, "--gpsd-socket", "/nonexistent/gpsd.sock"], 1, "/nonexistent/gpsd.sock"),
            (["--config", empty, "--gpsd-socket", file], 1, "exists and is not a socket"),
            (["--version"], 0, "locationd-bridge \(Release.version)\n"),
        ] {
            let outcome = try await ChildProcess(program, arguments).outcome()
            #expect(outcome.code == code, "\(arguments) \(outcome.output)")
            #expect(outcome.output.contains(words), "\(arguments) \(outcome.output)")
        }
    }

    /// Nobody holds such a port while the bridge does not run.
    @Test func portThatNobodyHoldsIsWarnedOfBelowAServiceManager() async throws {
        let port = try LoopbackPort.free()
        let file = try folder.write("[gpsd]\nlisten = [\"127.0.0.1:\(port)\"]\n", to: "bridge.toml")
        let remedy = "add ListenStream=127.0.0.1:\(port) below [Socket] by `systemctl edit locationd-bridge.socket`"
        let check = try await ChildProcess(program, ["--config", file, "--check-config"]).outcome()
        #expect(check.code == 0 && check.output.contains("the configuration is valid\nwarning: while this program"))
        #expect(check.output.contains(remedy), "\(check.output)")
        let receiver = try NotificationReceiver(folder("notify"))
        for environment in [[:], ["NOTIFY_SOCKET": receiver.address]] {
            let bridge = try LoggedProcess(program, ["--config", file], environment: environment)
            try await eventually("it listens", details: { bridge.errors }) { bridge.errors.contains("listening") }
            #expect(bridge.errors.contains(remedy) == !environment.isEmpty, "\(bridge.errors)")
            bridge.signal(SIGTERM)
            #expect(try bridge.wait() == 0)
        }
    }

    /// As after an upgrade, where an administrator has named the socket that is for administrators.
    @Test(.enabled(if: OtherUser.canBeBecome, "becoming other users takes root"))
    func socketOfOthersIsSaidWithTheLineToRemove() async throws {
        let listener = try SocketFile.listener(at: folder("control.sock"))
        defer { close(listener) }
        let file = try folder.write("[service]\ndaemon = \"\(folder("control.sock"))\"\n", to: "bridge.toml")
        #expect(chmod(file, 0o644) == 0 && chmod(folder("control.sock"), 0o600) == 0)
        #expect(try await ChildProcess("cp", [program, folder("locationd-bridge")]).outcome().code == 0)
        func outcome(_ arguments: [String]) async throws -> ChildProcess.Outcome {
            try await ChildProcess(
                "setpriv",
                OtherUser.stranger.command + [folder("locationd-bridge"), "--gpsd", "127.0.0.1:1"] + arguments
            ).outcome()
        }
        let byFile = try await outcome(["--config", file])
        #expect(byFile.code == 2)
        #expect(
            byFile.output.contains(
                "the user of this program may not connect to \(folder("control.sock")): remove the line "
                    + "`daemon = \"\(folder("control.sock"))\"` in the table [service] of \(file); without it the socket is "
                    + "/run/locationd/locationd.sock"), "\(byFile.output)")
        let byFlag = try await outcome(["--config", file, "--daemon", folder("control.sock")])
        #expect(byFlag.code == 2 && byFlag.output.contains("leave --daemon out"), "\(byFlag.output)")
        // A socket that is not there yet may come.
        let absent = try await outcome(["--config", file, "--daemon", folder("absent.sock")])
        #expect(absent.code == 1 && absent.output.contains("cannot listen at 127.0.0.1:1"), "\(absent.output)")
    }

    @Test func takenPortIsSaidWithWhatToDo() async throws {
        let listener = try LoopbackListener()
        let outcome = try await ChildProcess(program, ["--gpsd", "127.0.0.1:\(listener.port)"]).outcome()
        #expect(outcome.code == 1)
        #expect(
            outcome.output.contains(
                "cannot listen at 127.0.0.1:\(listener.port): Address already in use; another"),
            "\(outcome.output)")
    }

    /// Started by systemd's own activation, as programs see it.
    @Test func activatedByTheFirstProgramItEndsAfterTheLast() async throws {
        let receiver = try NotificationReceiver(folder("notify"))
        let file = try folder.write("[service]\nidle-exit = 1", to: "bridge.toml")
        let path = folder("gpsd.sock")
        let child = try ChildProcess(
            "systemd-socket-activate",
            SocketActivation.passingSanitizers + [
                "-E", "NOTIFY_SOCKET=\(receiver.address)", "-l", path, "--fdname=gpsd-unix", program, "--config", file,
            ])
        var client: UnixSocket?
        try await eventually("it can be connected to") {
            client = try? UnixSocket(path: path)
            return client != nil
        }
        try await eventually("it is ready") { receiver.messages == ["READY=1"] }
        client = nil
        let outcome = try await child.outcome()
        #expect(outcome.code == 0, "\(outcome.output)")
        #expect(receiver.messages == ["READY=1", "STOPPING=1"])
    }

    @Test func onTheBusItEndsWhenNobodyNeedsIt() async throws {
        let bus = try PrivateBus()
        let receiver = try NotificationReceiver(folder("notify"))
        let file = try folder.write("[service]\nidle-exit = 1\n[geoclue]\nenabled = true", to: "bridge.toml")
        let bridge = try LoggedProcess(
            program, ["--config", file],
            environment: bus.environment.merging(["NOTIFY_SOCKET": receiver.address]) { $1 })
        #expect(try bridge.wait() == 0, "\(bridge.errors)")
        #expect(receiver.messages == ["READY=1", "STOPPING=1"])
    }

    @Test func takenNameIsSaidInTheStatus() async throws {
        let bus = try PrivateBus()
        let first = try LoggedProcess(program, ["--geoclue"], environment: bus.environment)
        try await eventually("it serves", details: { first.errors }) { first.errors.contains("serving") }
        let receiver = try NotificationReceiver(folder("notify"))
        let second = try LoggedProcess(
            program, ["--geoclue", "--gpsd-socket", folder("gpsd.sock")],
            environment: bus.environment.merging(["NOTIFY_SOCKET": receiver.address]) { $1 })
        try await eventually("it says so", details: { "\(receiver.messages) \(second.errors)" }) {
            receiver.messages == [
                "READY=1\nSTATUS=degraded: another program serves GeoClue's interface; only gpsd's programs are served"
            ]
        }
        withExtendedLifetime((first, second)) {}
    }
}
