import ClientTestSupport
import Foundation
import Glibc
import ProgramTestSupport
import Testing
import WebService

/// The built program: with a port of its own, and started by systemd's activation.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct WebProgramTests {
    private static let program = Products.path(of: "locationd-web")

    private func get(_ path: String, _ headers: [String] = [], at port: UInt16) async throws -> HTTPReply {
        let connection = try HTTPConnection(port: Int(port))
        let lines = ["GET \(path) HTTP/1.1", "Host: 127.0.0.1:\(port)"] + headers
        try await connection.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
        return try await connection.reply()
    }

    /// With the pages and Leaflet that are installed, over a daemon that is not there.
    @Test func listensAndPrintsALinkForWhoStartedIt() async throws {
        let port = try LoopbackPort.free()
        let folder = try TemporaryFolder()
        let child = try LoggedProcess(
            Self.program,
            [
                "--config", try folder.write("", to: "web.toml"), "--daemon", folder("absent.sock"), "--listen",
                "127.0.0.1:\(port)",
            ], environment: ["SUDO_UID": ""])
        try await eventually("it prints a link", details: { child.errors }) {
            child.output.contains("\n") || child.exitCode != nil
        }
        let link = try #require(
            child.output.firstMatch(of: /^http:\/\/127\.0\.0\.1:\d+(\/open\?token=[0-9a-f]{64})\n/), "\(child.errors)")
        let opened = try await get(String(link.1), at: port)
        #expect(opened.status == 303)
        let cookie = "Cookie: \(try #require(opened.header("set-cookie")?.split(separator: ";").first))"
        let session = try await get("/session", [cookie], at: port)
        #expect(session.body.contains(#""isAdministrator":true"#) && session.body.contains("\"uid\":\(geteuid())"))
        let page = try await get("/", [cookie], at: port)
        #expect(page.status == 200)
        // Everything that the page names is there, and nothing of it is elsewhere.
        let names = page.body.matches(of: /(?:src|href)="([^"#]+)"/).map { String($0.1) }
        var left = names.filter { $0 != "/track.gpx" }
        var seen: Set<String> = []
        while let name = left.popLast() {
            guard seen.insert(name).inserted else { continue }
            let file = try await get(name, at: port)
            #expect(file.status == 200, "\(name)")
            guard name.hasSuffix(".js"), !name.hasPrefix("/leaflet/") else { continue }
            left += file.body.matches(of: /from "([^"]+)"/).map { String($0.1).replacing("./", with: "/") }
        }
        #expect(seen.contains { $0.hasPrefix("/leaflet/") && $0.hasSuffix(".js") } && seen.count > 10, "\(seen)")
        #expect(!page.body.contains("<script>") && !page.body.contains(" style=") && !page.body.contains(" onclick="))
        #expect(!child.errors.contains(String(link.1.suffix(64))), "the token is in the log")
        child.signal(SIGTERM)
        #expect(try await blocking { try child.wait() } == 0, "\(child.errors)")
    }

    /// Who may read where a service prints has nothing of it: the link is for the user's browser who has started it.
    @Test(.enabled(if: OtherUser.canBeBecome), arguments: ["", "\(OtherUser.stranger.number)"])
    func printedLinkOpensForWhoStartedItAlone(sudo: String) async throws {
        let port = try LoopbackPort.free()
        let folder = try TemporaryFolder()
        let child = try LoggedProcess(
            Self.program,
            ["--config", try folder.write("", to: "web.toml"), "--listen", "127.0.0.1:\(port)"],
            environment: ["SUDO_UID": sudo])
        try await eventually("it prints a link", details: { child.errors }) {
            child.output.contains("\n") || child.exitCode != nil
        }
        let link = String(try #require(child.output.firstMatch(of: /\/open\?token=[0-9a-f]{64}/)).output)
        let request = "GET \(link) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n"
        let stranger = try await OtherUserRequest.answer(request, at: Int(port))
        #expect(stranger.hasPrefix(sudo.isEmpty ? "HTTP/1.1 403 " : "HTTP/1.1 303 "), "\(stranger)")
        #expect(try await get(link, at: port).status == (sudo.isEmpty ? 303 : 403))
    }

    /// At the daemon's socket for all programs it has a token for who has started it.
    @Test func printedLinkAdministersByAToken() async throws {
        let daemon = try await DaemonProcess.started()
        let port = try LoopbackPort.free()
        let child = try LoggedProcess(
            Self.program,
            [
                "--config", try daemon.folder.write("", to: "web.toml"), "--daemon", daemon.socket, "--listen",
                "127.0.0.1:\(port)",
            ], environment: ["SUDO_UID": ""])
        try await eventually("it prints a link", details: { child.errors }) {
            child.output.contains("\n") || child.exitCode != nil
        }
        let link = String(try #require(child.output.firstMatch(of: /\/open\?token=[0-9a-f]{64}/)).output)
        let cookie = try #require(try await get(link, at: port).header("set-cookie")?.split(separator: ";").first)
        let connection = try HTTPConnection(port: Int(port))
        try await connection.send(
            """
            POST /call/org.locationd.admin.ListClients HTTP/1.1\r
            Host: 127.0.0.1:\(port)\r
            Origin: http://127.0.0.1:\(port)\r
            Cookie: \(cookie)\r
            X-Locationd: 1\r
            Content-Type: application/json\r
            Content-Length: 2\r
            \r
            {}
            """)
        let reply = try await connection.reply()
        #expect(reply.status == 200 && reply.body.contains("\"clients\""), "\(reply)")
        child.signal(SIGTERM)
        #expect(try await blocking { try child.wait() } == 0, "\(child.errors)")
        try await daemon.end()
    }

    @Test func portInUseIsSaid() async throws {
        let port = try LoopbackPort.free()
        let folder = try TemporaryFolder()
        let flags = ["--config", try folder.write("", to: "web.toml"), "--listen", "127.0.0.1:\(port)"]
        let first = try LoggedProcess(Self.program, flags)
        try await eventually("it listens", details: { first.errors }) { LoopbackPort.isListening(port) }
        let second = try LoggedProcess(Self.program, flags)
        try await eventually("it ends") { second.exitCode != nil }
        #expect(
            second.exitCode == 1 && second.errors.contains("cannot listen at 127.0.0.1:\(port)"), "\(second.errors)")
        #expect(second.errors.contains("name another port by --listen"))
    }

    @Test(arguments: [
        ([], "", "there is nothing to listen on"), (["--listen", "0.0.0.0:8447"], "", "0.0.0.0:8447"),
        (["--pages", "/nonexistent"], "[site]\nlisten = [\"127.0.0.1:1\"]", "/nonexistent cannot be read"),
        ([], "[site]\nlisten = [\"192.0.2.1:80\"]", "web.toml:2: site.listen"),
    ])
    func whatIsWrongIsSaidAtOnce(flags: [String], configuration: String, words: String) async throws {
        let folder = try TemporaryFolder()
        let child = try LoggedProcess(
            Self.program, ["--config", try folder.write(configuration, to: "web.toml")] + flags)
        try await eventually("it ends") { child.exitCode != nil }
        #expect([1, 2].contains(child.exitCode) && child.errors.contains(words), "\(child.errors)")
    }

    /// The first browser starts it, and it ends after the last.
    @Test func activatedProgramEndsWhenNobodyIsThere() async throws {
        let port = try LoopbackPort.free()
        let folder = try TemporaryFolder()
        let receiver = try NotificationReceiver(folder("notify"))
        let file = try folder.write("[service]\nidle-exit = 1\ndaemon = \"\(folder("absent.sock"))\"\n", to: "web.toml")
        let child = try ChildProcess(
            "systemd-socket-activate",
            SocketActivation.passingSanitizers + [
                "-E", "NOTIFY_SOCKET=\(receiver.address)", "-l", "127.0.0.1:\(port)", "--fdname=http", Self.program,
                "--config", file,
            ])
        do {
            try await eventually("it can be connected to") { LoopbackPort.isListening(port) }
            let browser = try HTTPConnection(port: Int(port))
            try await browser.send("GET / HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n")
            #expect(try await browser.reply().status == 403)
        } catch {
            try? await child.end()
            throw Failure("\(error): \(try await child.outcome().output)")
        }
        let outcome = try await child.outcome()
        #expect(outcome.code == 0 && outcome.output.contains("listening"), "\(outcome.output)")
        #expect(receiver.messages == ["READY=1", "STOPPING=1"])
    }
}
