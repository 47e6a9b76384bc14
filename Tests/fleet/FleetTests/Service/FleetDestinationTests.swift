import ClientTestSupport
import Delivery
import Fleet
import Foundation
import Glibc
import ProgramTestSupport
import Synchronization
import Testing

/// The built program between a real daemon and servers of HTTP.
@Suite(.timeLimit(.minutes(60))) struct FleetDestinationTests {
    private let stub: HTTPStub
    private let track: HTTPStub
    private let secret = "eyJhbGciOiJIUzI1NiJ9.s3cr3t"

    init() throws {
        (stub, track) = (try HTTPStub(), try HTTPStub())
        for server in [stub, track] { server.always { $0.answer("[]") } }
    }

    private func destinations(_ folder: TemporaryFolder, _ further: String = "") throws -> String {
        try folder.write(secret, to: "token")
        chmod(folder("token"), 0o600)
        return """
            \(further)
            [[destinations]]
            name = "track"
            url = "traccar+\(track.url)"
            device = "123"
            [[destinations]]
            name = "home"
            url = "owntracks+\(stub.url)/pub"
            token-file = "\(folder("token"))"
            """
    }

    private func locctl(_ machine: FleetMachine, _ arguments: String...) async throws -> ChildProcess.Outcome {
        try await ChildProcess(
            Products.command, ["fleet"] + arguments + ["--fleet-socket", machine.folder("control.sock")]
        ).outcome()
    }

    @Test func destinationsNeedNoBrokerAndTellNoSecret() async throws {
        let machine = try await FleetMachine(broker: nil) {
            (try? destinations($0, "[metrics]\ntextfile = \"\($0.path)/fleet.prom\"\ninterval = 1")) ?? ""
        }
        let receiver = try NotificationReceiver(machine.folder("notify"))
        let fleet = try machine.start(
            ["--control", machine.folder("control.sock"), "--log-level", "trace"],
            environment: ["NOTIFY_SOCKET": receiver.address])
        try await eventually("both are sent", details: { fleet.errors }) {
            !stub.requests.isEmpty && track.requests.contains { $0.contains("id=123&lat=") }
        }
        try await eventually("the state says so", details: { "\(receiver.messages)" }) {
            receiver.messages.last == "STATUS=all reports are delivered"
        }
        let status = try await locctl(machine, "status")
        #expect(status.output.contains("home  in order\n  url        owntracks+http://127.0.0.1"), "\(status.output)")
        let test = try await locctl(machine, "test", "home")
        #expect(test.code == 0 && test.output == "home has accepted the location\n", "\(test.output)")
        #expect(stub.requests.contains { $0.contains(#""t":"r","#) })
        stub.always { $0.answer("the token \(secret) is unknown", status: "401 Unauthorized", type: "text/plain") }
        let refused = try await locctl(machine, "test", "home")
        #expect(refused.code == 1 && refused.output.contains("it answers 401 (the token … is unknown)"), "\(refused)")
        let unknown = try await locctl(machine, "test", "broker")
        #expect(unknown.code == 1 && unknown.output.contains("there is no such destination"))
        try await eventually("it stops", details: { "\(receiver.messages)" }) {
            receiver.messages.last?.hasPrefix("STATUS=degraded: home: it answers 401") == true
        }
        let json = try await locctl(machine, "status", "--json")
        #expect(json.output.contains(#""stopped":true"#), "\(json.output)")
        try await eventually("the metrics are written") {
            Promtool.value(
                "locationd_fleet_destination_stopped{destination=\"home\"}", in: text(of: machine.folder("fleet.prom")))
                == 1
        }
        let metrics = text(of: machine.folder("fleet.prom"))
        #expect(try await blocking { try Promtool.complaints(about: metrics) } == "")
        let process = text(of: "/proc/\(fleet.pid)/cmdline") + text(of: "/proc/\(fleet.pid)/environ")
        for words in [
            process, fleet.errors, fleet.output, metrics, status.output, refused.output, json.output,
            "\(receiver.messages)",
        ] {
            #expect(!words.contains("s3cr3t"), "\(words)")
        }
        fleet.signal(SIGTERM)
        #expect(try await blocking { try fleet.wait() } == 0, "\(fleet.errors)")
        #expect(!FileManager.default.fileExists(atPath: machine.folder("control.sock")))
    }

    @Test func serverThatHangsDoesNotHoldTheBrokerOrTheEnd() async throws {
        for server in [stub, track] { server.always { $0.wait() } }
        let broker = try Mosquitto()
        let subscriber = try await broker.startWithSubscriber()
        let machine = try await FleetMachine(broker: broker.address) { (try? destinations($0)) ?? "" }
        let fleet = try machine.start()
        try await eventually("ten arrive", details: { fleet.errors }) { subscriber.received.count >= 10 }
        fleet.signal(SIGTERM)
        #expect(try await blocking { try fleet.wait() } == 0, "\(fleet.errors)")
        #expect(stub.requests.count == 1)
        #expect(track.requests.count == 1)
        let arrived = Set(subscriber.received.compactMap(\.id))
        #expect(arrived.isSubset(of: try machine.waitingIDs()), "they wait for the others")
    }

    @Test func plainHTTPIsSaidAtEachStart() async throws {
        let folder = try TemporaryFolder()
        let table = "[[destinations]]\nname = \"a\"\nurl = \"traccar+http://192.0.2.1\"\n"
        try folder.write(table + "insecure = true\n", to: "fleet.toml")
        let arguments = ["--config", folder("fleet.toml"), "--outbox", folder("o"), "--daemon", folder("none")]
        let fleet = try LoggedProcess(Products.path(of: "locationd-fleet"), arguments)
        try await eventually("it starts", details: { fleet.errors }) { fleet.errors.contains("publishing") }
        #expect(fleet.errors.contains("warning: reports for a are sent in the clear"))
        try folder.write(table, to: "fleet.toml")
        let check = try await ChildProcess(
            Products.path(of: "locationd-fleet"), ["--config", folder("fleet.toml"), "--check-config"]
        ).outcome()
        #expect(
            check.code == 2 && check.output.contains("fleet.toml:3: destinations[0].url: sends everything in the clear")
        )
    }

    /// As the service has it: a user of its own.
    @Test(.enabled(if: OtherUser.canBeBecome, "becoming other users takes root"))
    func denialEndsReports() async throws {
        let machine = try await FleetMachine(broker: nil) { folder in
            "[[destinations]]\nname = \"home\"\nurl = \"owntracks+\(stub.url)/pub\""
        }
        let receiver = try NotificationReceiver("@\(machine.folder.path)/notify")
        let stranger = OtherUser.stranger
        let home = try machine.folder.makeFolder("home", owner: stranger.number)
        let program = machine.folder("locationd-fleet")
        #expect(try await ChildProcess("cp", [Products.path(of: "locationd-fleet"), program]).outcome().code == 0)
        let fleet = try LoggedProcess(
            "setpriv",
            stranger.command + [
                program, "--config", machine.folder("fleet.toml"), "--daemon", machine.daemon.socket, "--outbox",
                home + "/outbox.sqlite", "--include-simulated",
            ], environment: ["NOTIFY_SOCKET": receiver.address])
        func locctl(_ arguments: String...) async throws {
            let outcome = try await ChildProcess(Products.command, arguments + ["--socket", machine.daemon.control])
                .outcome()
            #expect(outcome.code == 0, "\(outcome.output)")
        }
        try await eventually("its request is known", details: { fleet.errors }) {
            receiver.messages.contains { $0.contains("not authorized (notDetermined)") }
        }
        #expect(stub.requests.isEmpty)
        try await locctl("authorize", "uid:\(stranger.number)")
        try await eventually("it reports", details: { fleet.errors }) { stub.requests.count > 3 }
        try await locctl("deny", "uid:\(stranger.number)")
        try await eventually("it says so") { receiver.messages.last?.contains("not authorized (denied)") == true }
        let count = stub.requests.count
        // The daemon goes on: five fixes a second, each of which was reported before.
        try await locctl("watch", "--count", "10")
        #expect(stub.requests.count <= count + 1, "one may have been on its way")
    }
}
