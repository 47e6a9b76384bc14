import ClientTestSupport
import Foundation
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import ProgramTestSupport
import Testing

/// A command that changes something says in one line what is so then.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct OutcomeCommandTests {
    private func run(_ arguments: [String], of daemon: DaemonProcess) throws -> DaemonProcess.Answer {
        let child = try daemon.start(arguments[0], Array(arguments.dropFirst()))
        let code = try child.wait()
        return .init(code: code, output: child.output, errors: child.errors)
    }

    @Test func changeIsConfirmedInOneLine() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        let watch = try daemon.watch { $0.purpose = "a map" }
        try watch.awaitLocation()
        let clients = try #require(try daemon.locctl("clients", "--json").object["clients"] as? [[String: Any]])
        let id = try #require(clients.first { $0["purpose"] as? String == "a map" }?["id"] as? Int)
        for (arguments, line) in [
            (["log-level", "debug"], "the daemon logs from the level debug on, until it is reloaded or restarted"),
            (["simulate", "-33.86", "151.21"], "-33.860000, 151.210000 was injected as location "),
            (
                ["source", "simulator", "off"],
                "the source simulator is off; `locctl source simulator on` switches it on again"
            ),
            (["source", "simulator", "on"], "the source simulator is on"),
            (["suspend"], "the sources have stopped; `locctl resume` lets them run again"),
            (["resume"], "the sources run again when a program needs them"),
            (["disconnect", "\(id)"], "the connection \(id) has ended"),
            (["stop"], "the location service is off: no program gets a location"),
            (["start"], "the location service is on"),
        ] {
            let answer = try run(arguments, of: daemon)
            #expect(answer.code == 0 && answer.lines.count == 1, "\(arguments) \(answer)")
            #expect(answer.output.hasPrefix(line) && answer.errors.isEmpty, "\(answer)")
        }
        let sources = try daemon.locctl("source", "--json").object["sources"] as? [[String: Any]]
        #expect(sources?.first?["name"] as? String == "simulator")
    }

    @Test func removedMonitorIsConfirmed() throws {
        let daemon = try DaemonProcess(Settings.fixed)
        let child = try daemon.start("monitor-region", ["48.8584", "2.2945", "200", "--name", "tower"])
        try waitUntil("it is decided", details: { child.errors }) { child.output.contains("is inside") }
        child.signal(SIGTERM)
        #expect(try child.wait() == 0)
        #expect(try daemon.locctl("regions", "--remove", "tower").output == "the monitor tower is removed\n")
    }

    @Test(arguments: [
        (["stauts"], "locctl: unknown command 'stauts'; did you mean status?\n"),
        (["--socket", "/s", "stauts"], "locctl: unknown command 'stauts'; did you mean status?\n"),
        (["get", "--timout", "5"], "locctl: unknown option '--timout' of get; did you mean --timeout?\n"),
    ])
    func mistypedWordIsNamedWithTheNearest(arguments: [String], told: String) throws {
        let child = try LoggedProcess(Products.command, arguments)
        #expect(try child.wait() == 2)
        #expect(child.errors == told && child.output.isEmpty)
    }
}

/// Administrators see how many requests wait, and others do not.
@Suite(.onOwnThread, .timeLimit(.minutes(10)), .enabled(if: OtherUser.canBeBecome))
struct WaitingRequestTests {
    @Test func statusCountsForAdministratorsAlone() throws {
        let daemon = try DaemonProcess(Settings.simulator())
        #expect(try !daemon.locctl("status").output.contains("  requests "))
        #expect(try daemon.locctl("status", "--json").object["waitingRequests"] as? Int == 0)
        let stranger = try Products.copied(to: daemon.folder).command
        func run(_ arguments: String...) throws -> DaemonProcess.Answer {
            let child = try LoggedProcess(
                "setpriv", OtherUser.stranger.command + [stranger] + arguments + ["--socket", daemon.socket])
            let code = try child.wait()
            return .init(code: code, output: child.output, errors: child.errors)
        }
        let ask = try run("request-authorization", "--no-wait")
        #expect(ask.code == 4, "\(ask)")
        let status = try daemon.locctl("status")
        #expect(
            status.output.contains(
                "  requests    1 request for authorization waits; `locctl authorizations` lists what waits\n"),
            "\(status)")
        #expect(try daemon.locctl("status", "--json").object["waitingRequests"] as? Int == 1)
        let own = try run("status")
        #expect(own.code == 4 && !own.output.contains("  requests "), "\(own)")
        #expect(try run("status", "--json").object["waitingRequests"] == nil)
        #expect(try daemon.locctl("deny", "uid:\(OtherUser.stranger.number)").code == 0)
        #expect(try !daemon.locctl("status").output.contains("  requests "))
    }
}
