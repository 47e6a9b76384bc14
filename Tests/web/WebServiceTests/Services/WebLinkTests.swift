import Foundation
import Glibc
@_spi(Programs) import LocationInterface
import Logging
import ProgramTestSupport
import ServiceServer
import Testing

@testable import WebService

/// `locctl web`, and the service that gives it links.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct WebLinkTests {
    /// Gives links at a socket during `body`.
    private func serve(
        forAdministrators: Bool, administersByItself: Bool = true, at place: WebBench.Place = .ipv4,
        user: UInt32? = nil,
        _ body: (WebBench, String) async throws -> Void
    ) async throws {
        var settings = WebSettings.unconnected
        settings.hosts = [WebBench.proxyHost]
        try await WebBench.run(settings, at: place) { bench in
            let path = bench.folder("web.sock")
            let links = try await CallServer(
                socket: .bind(path: path, mode: 0o666, group: nil), limits: CallLimits(),
                answerer: LinkAnswerer(
                    bench.server, isForAdministrators: forAdministrators, administersByItself: administersByItself),
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, user: { user ?? Listener.peerUser($0) }
            )
            do {
                try await body(bench, path)
            } catch {
                await links.stop()
                throw error
            }
            await links.stop()
        }
    }

    private func locctl(
        _ arguments: String..., environment: [String: String] = [:]
    ) async throws -> (code: Int32, output: String, errors: String) {
        try await blocking {
            let child = try LoggedProcess(
                Products.command, ["web"] + arguments, environment: ["SUDO_UID": ""].merging(environment) { $1 })
            let code = try child.wait(within: 60)
            return (code, child.output, child.errors)
        }
    }

    /// Opens a link that was printed, and returns what its session is.
    private func session(_ bench: WebBench, _ output: String) async throws -> String {
        let path = try #require(output.firstMatch(of: /\/open\?token=[0-9a-f]{64}/), "\(output)").output
        let opened = try await bench.request("GET", String(path))
        #expect(opened.status == 303)
        let cookie = try #require(opened.header("set-cookie")?.split(separator: ";").first)
        return try await bench.request("GET", "/session", ["Cookie: \(cookie)"]).body
    }

    @Test(arguments: [(false, true, false), (true, true, true), (true, false, false)])
    func linkOpensThePagesAsWhoAsked(
        isForAdministrators: Bool, administersByItself: Bool, isAdministrator: Bool
    ) async throws {
        try await serve(forAdministrators: isForAdministrators, administersByItself: administersByItself) {
            bench, path in
            let answer = try await locctl("--web-socket", path)
            #expect(answer.code == 0)
            // Root's own browser is seldom meant.
            #expect(answer.errors.contains("--for USER") == (geteuid() == 0))
            let link = try #require(answer.output.split(separator: "\n").first)
            #expect(answer.output == "\(link)\n" && link.hasPrefix("http://\(bench.host)/open?token="))
            let session = try await session(bench, answer.output)
            #expect(session.contains("\"uid\":\(geteuid()),") || session.contains("\"uid\":\(geteuid())}"))
            #expect(session.contains(#""isAdministrator":\#(isAdministrator)"#), "\(session)")
        }
    }

    @Test func linkInJSON() async throws {
        try await serve(forAdministrators: false) { bench, path in
            let answer = try await locctl("--web-socket", path, "--json", "--print")
            let link = try JSONDecoder().decode(WebInterface.Link.self, from: Data(answer.output.utf8))
            #expect(answer.code == 0 && link.url.hasPrefix("http://\(bench.host)/open?token="))
            let again = try await locctl("--web-socket", path, "--json")
            #expect(try JSONDecoder().decode(WebInterface.Link.self, from: Data(again.output.utf8)) != link)
        }
    }

    @Test(.enabled(if: OtherUser.canBeBecome)) func kernelSaysWhoAsksAndWhoOpens() async throws {
        try await serve(forAdministrators: false) { bench, path in
            let command = try Products.copied(to: bench.folder).command
            let child = try await ChildProcess(
                "setpriv", OtherUser.stranger.command + [command, "web", "--print", "--web-socket", path]
            ).outcome()
            let link = String(try #require(child.output.firstMatch(of: /\/open\?token=[0-9a-f]+/)).output)
            #expect(try await bench.request("GET", link).status == 403, "root's browser has opened it")
            let opened = try await OtherUserRequest.answer(
                bench.text("GET", link, ["Connection: close"]), at: bench.port)
            #expect(opened.hasPrefix("HTTP/1.1 303 "), "\(opened)")
        }
    }

    /// `sudo locctl web` is for the browser of who runs sudo; root may name another.
    @Test(
        .enabled(if: OtherUser.canBeBecome),
        arguments: [
            (["--print"], "61234", true), (["--print", "--for", "61234"], "0", true),
            (["--print", "--for", "root"], "61234", false),
            (["--print"], "no number", false),
        ])
    func rootNamesWhoseBrowserOpensIt(arguments: [String], sudo: String, isForStranger: Bool) async throws {
        try await serve(forAdministrators: true) { bench, path in
            let answer = try await blocking {
                let child = try LoggedProcess(
                    Products.command, ["web", "--web-socket", path] + arguments, environment: ["SUDO_UID": sudo])
                _ = try child.wait(within: 60)
                return child.output
            }
            let link = String(try #require(answer.firstMatch(of: /\/open\?token=[0-9a-f]+/), "\(answer)").output)
            let stranger = try await OtherUserRequest.answer(
                bench.text("GET", link, ["Connection: close"]), at: bench.port)
            #expect(stranger.hasPrefix("HTTP/1.1 303 ") == isForStranger, "\(stranger)")
            #expect(try await bench.request("GET", link).status == (isForStranger ? 403 : 303))
        }
    }

    /// Who makes a link for another's browser signs that person in as somebody else.
    @Test(.enabled(if: OtherUser.canBeBecome), arguments: [false, true])
    func othersMakeLinksForThemselvesAlone(isForAdministrators: Bool) async throws {
        try await serve(forAdministrators: isForAdministrators) { bench, path in
            let command = try Products.copied(to: bench.folder).command
            for (user, code) in [("root", 4), ("1000", 4), ("61234", 0)] as [(String, Int32)] {
                let child = try await ChildProcess(
                    "setpriv",
                    OtherUser.stranger.command + [command, "web", "--print", "--web-socket", path, "--for", user]
                ).outcome()
                #expect(child.code == code, "\(user): \(child.output)")
                #expect(child.output.contains("only root may make a link for another user") == (code != 0))
            }
            // SUDO_UID is what anybody may write.
            let child = try await ChildProcess(
                "env",
                ["SUDO_UID=0", "setpriv"] + OtherUser.stranger.command + [
                    command, "web", "--print", "--web-socket", path,
                ]
            ).outcome()
            #expect(child.code == 0, "\(child.output)")
        }
    }

    @Test func unknownUserIsSaid() async throws {
        try await serve(forAdministrators: true) { _, path in
            let answer = try await locctl("--web-socket", path, "--for", "nobody-of-this-name")
            #expect(answer.code == 1 && answer.errors.contains("there is no user nobody-of-this-name"))
        }
    }

    @Test func linkForThePagesBehindAProxy() async throws {
        try await serve(forAdministrators: false, at: .ipv4AndProxy) { bench, path in
            let answer = try await locctl("--web-socket", path, "--proxy", "--print")
            #expect(answer.output.wholeMatch(of: /https:\/\/pages\.example\.org\/open#[0-9a-f]{64}\n/) != nil)
            #expect(answer.code == 0 && answer.errors.isEmpty)
        }
        try await serve(forAdministrators: false) { _, path in
            let answer = try await locctl("--web-socket", path, "--proxy", "--print")
            #expect(answer.code == 1 && answer.errors.contains("enable --now locationd-web-unix.socket"))
        }
    }

    /// The daemon's token makes the session an administrator's, and is shown nowhere.
    @Test(arguments: [
        (#"{"parameters":{"token":"secret-token","lifetime":43200}}"#, true, true),
        (#"{"parameters":{"token":"secret-token","lifetime":43200}}"#, false, false),
        (#"{"error":"org.varlink.service.MethodNotFound","parameters":{"method":"CreateToken"}}"#, true, false),
        (#"{"error":"org.varlink.service.PermissionDenied"}"#, true, false), (#"{"parameters":{}}"#, true, false),
    ])
    func tokenOfTheDaemonIsPassedOn(reply: String, isForAdministrators: Bool, isAdministrator: Bool) async throws {
        try await serve(forAdministrators: isForAdministrators, administersByItself: false) { bench, path in
            let daemon = try SilentService(bench.folder("control.sock"))
            let child = try LoggedProcess(
                Products.command, ["web", "--print", "--web-socket", path],
                environment: ["SUDO_UID": "", "LOCATIOND_SOCKET": daemon.path])
            #expect(try await daemon.newestCall().contains(#""method":"org.locationd.admin.CreateToken""#))
            try daemon.answerAll(reply + "\0")
            try await eventually("it ends") { child.exitCode != nil }
            #expect(child.exitCode == 0, "\(child.errors)")
            #expect(!(child.output + child.errors).contains("secret-token"))
            let session = try await session(bench, child.output)
            #expect(session.contains(#""isAdministrator":\#(isAdministrator)"#) && !session.contains("secret-token"))
        }
    }

    /// Without an answer of the daemon there is a link all the same.
    @Test func withoutTheDaemonTheLinkIsOrdinary() async throws {
        try await serve(forAdministrators: true, administersByItself: false) { bench, path in
            let answer = try await locctl(
                "--web-socket", path, "--print", environment: ["LOCATIOND_SOCKET": bench.folder("absent.sock")])
            #expect(answer.code == 0 && answer.errors.contains("the pages will not administer the service"))
            #expect(try await session(bench, answer.output).contains(#""isAdministrator":false"#))
        }
    }

    @Test(arguments: ["", String(repeating: "a", count: 257)])
    func tokenHasBounds(token: String) async throws {
        try await serve(forAdministrators: true) { _, path in
            let connection = try UnixSocket(path: path)
            try connection.write(
                Array(#"{"method":"org.locationd.web.CreateLink","parameters":{"token":"\#(token)"}}"#.utf8) + [0])
            var reply: [UInt8] = []
            try await eventually("it answers") {
                reply += try connection.read(forMilliseconds: 0) ?? []
                return reply.last == 0
            }
            #expect(String(decoding: reply, as: UTF8.self).contains("InvalidParameter"))
        }
    }

    @Test func withoutTheServiceItSaysWhatToDo() async throws {
        let folder = try TemporaryFolder()
        let answer = try await locctl("--web-socket", folder("absent.sock"))
        #expect(answer.code == 3 && answer.output.isEmpty)
        #expect(answer.errors.contains("locationd-web cannot be reached at \(folder("absent.sock"))"))
        #expect(answer.errors.contains("sudo systemctl enable --now locationd-web.socket"))
    }

    @Test func serviceOfOthersIsNoService() async throws {
        let folder = try TemporaryFolder()
        let silent = try SilentService(folder("other.sock"))
        let child = try LoggedProcess(Products.command, ["web", "--web-socket", silent.path])
        #expect(try await silent.newestCall().contains("CreateLink"))
        try silent.answerAll("{\"parameters\":{\"link\":1}}\0")
        try await eventually("it ends") { child.exitCode != nil }
        #expect(child.exitCode == 1 && child.output.isEmpty && child.errors.hasPrefix("locctl: "))
    }
}
