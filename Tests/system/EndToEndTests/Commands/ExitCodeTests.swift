import ClientTestSupport
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import ProgramTestSupport
import Testing

/// Scripts read the exit code: 0 ok, 1 failed, 2 usage, 3 no daemon, 4 not authorized, 5 no location.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct ExitCodeTests {
    @Test func okIsZero() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        for command in ["status", "get", "clients", "statistics", "start", "reload"] {
            let answer = try daemon.locctl(command)
            #expect(answer.code == 0, "\(command): \(answer)")
            #expect(answer.errors.isEmpty)
        }
        let help = try LoggedProcess(Products.command, ["--help"])
        #expect(try help.wait() == 0 && help.output.contains("Exit codes:"))
        let version = try LoggedProcess(Products.command, ["--version"])
        #expect(try version.wait() == 0 && version.output.hasPrefix("locctl 0."))
    }

    @Test func failureIsOne() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        let answer = try daemon.locctl("disconnect", "999999")
        #expect(answer.code == 1 && answer.errors.contains("there is no client 999999"))
        let existing = try daemon.folder.write("", to: "existing")
        let record = try daemon.locctl("record", existing)
        #expect(record.code == 1 && record.errors.contains("choose another name or remove it"), "\(record)")
        let replay = try daemon.locctl("replay", existing)
        #expect(replay.code == 1 && replay.errors.contains(existing), "\(replay)")
    }

    @Test func refusedParameterIsTwo() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        let distance = try daemon.locctl("watch", "--distance=-1")
        #expect(distance.code == 2 && distance.errors.contains("distanceFilter"), "\(distance)")
        let level = try daemon.locctl("log-level", "loud")
        #expect(level.code == 2 && level.errors.contains("trace, debug, info"), "\(level)")
        let purpose = try daemon.locctl("watch", "--purpose", String(repeating: "x", count: 300))
        #expect(purpose.code == 2 && purpose.errors.contains("purpose"), "\(purpose)")
    }

    @Test func connectionOptionsMayStandBeforeTheCommand() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        let get = try LoggedProcess(Products.command, ["--json", "--socket", daemon.socket, "get", "--timeout", "30"])
        #expect(try get.wait() == 0, "\(get.errors)")
        #expect(try json(get.output)["latitude"] is Double)
        let other = try LoggedProcess(Products.command, ["--socket=/nonexistent", "status"])
        #expect(try other.wait() == 3, "\(other.errors)")
        for unfinished in [["--socket"], ["--socket", daemon.socket], ["--json", "--nonsense", "get"]] {
            #expect(try LoggedProcess(Products.command, unfinished).wait() == 2, "\(unfinished)")
        }
    }

    @Test(arguments: [
        "status", "get", "watch", "clients", "stop", "reload", "diagnose", "authorizations", "audit",
        "request-authorization",
    ])
    func noDaemonIsThree(command: String) throws {
        let folder = try TemporaryFolder()
        let child = try LoggedProcess(Products.command, [command, "--socket", folder("nobody.sock")])
        #expect(try child.wait() == 3)
        #expect((child.errors + child.output).contains("locationd cannot be reached at \(folder("nobody.sock"))"))
        #expect((child.errors + child.output).contains("start it"), "the next step is told")
    }

    @Test func absentHistoryIsInstalledOrSwitchedOn() throws {
        let child = try LoggedProcess(Products.command, ["track", "--history-socket", "/nonexistent"])
        #expect(try child.wait() == 3)
        #expect(
            child.errors.contains("install the package locationd-history, `sudo systemctl enable --now"),
            "\(child.errors)")
    }

    @Test(.enabled(if: OtherUser.canBeBecome)) func strangerIsFour() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        let programs = try Products.copied(to: daemon.folder)
        for command in ["status", "get", "watch", "diagnose", "stop", "clients"] {
            let child = try LoggedProcess(
                "setpriv", OtherUser.stranger.command + [programs.command, command, "--socket", daemon.socket])
            #expect(try child.wait() == 4, "\(command): \(child.output) \(child.errors)")
            #expect(!(child.output + child.errors).contains("-78."), "no position is told")
            #expect(!(child.output + child.errors).isEmpty)
        }
        #expect(try daemon.status().enabled)
        #expect(try daemon.statistics().demand == false, "a stranger starts no receiver")
    }

    @Test(.enabled(if: OtherUser.canBeBecome)) func closedControlSocketIsFour() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        let programs = try Products.copied(to: daemon.folder)
        let child = try LoggedProcess(
            "setpriv", OtherUser.stranger.command + [programs.command, "status", "--socket", daemon.control])
        #expect(try child.wait() == 4, "\(child.output) \(child.errors)")
        #expect(child.errors.contains("you may not use the socket \(daemon.control)"))
    }

    @Test(.enabled(if: OtherUser.canBeBecome)) func strangerRecordsNothing() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        let programs = try Products.copied(to: daemon.folder)
        let child = try LoggedProcess(
            "setpriv", OtherUser.stranger.command + [programs.command, "record", "-", "--socket", daemon.socket])
        #expect(try child.wait() == 4, "\(child.output) \(child.errors)")
        #expect(!child.output.contains("\"location\""))
    }

    @Test func statusInJSONEndsWithTheSameCode() throws {
        let daemon = try DaemonProcess(Settings.gpsd(try LoopbackPort.free()))
        #expect(try daemon.locctl("status", "--passive").code == 5)
        let json = try daemon.locctl("status", "--passive", "--json")
        #expect(json.code == 5 && json.output.contains("\"source\":\"stopped\""), "\(json)")
    }

    @Test func administrationNeedsTheControlSocket() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        let answer = try daemon.locctl("stop", socket: daemon.socket)
        #expect(answer.code == 4 && answer.errors.contains("needs the control socket"), "\(answer)")
        #expect(try daemon.status().enabled)
    }

    @Test func noLocationIsFive() throws {
        let daemon = try DaemonProcess(Settings.gpsd(try LoopbackPort.free()))
        let passive = try daemon.locctl("get", "--passive")
        #expect(passive.code == 5 && passive.errors.contains("a passive request starts no receiver"), "\(passive)")
        let get = try daemon.locctl("get", "--timeout", "0.1")
        #expect(get.code == 5 && get.errors.contains("came in time: nothing listens on 127.0.0.1"), "\(get)")
    }
}
