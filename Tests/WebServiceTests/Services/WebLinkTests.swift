import CallService
import Foundation
import Logging
import TestSupport
import Testing
import VarlinkServer
import WebInterface

@testable import WebService

/// `locctl web`, and the service that gives it links.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct WebLinkTests {
    /// Gives links at a socket during `body`.
    private func serve(
        forAdministrators: Bool, user: UInt32? = nil, _ body: (WebBench, String) async throws -> Void
    ) async throws {
        try await WebBench.run { bench in
            let path = bench.folder("web.sock")
            let links = try await CallServer(
                socket: .bind(path: path, mode: 0o666, group: nil), limits: CallLimits(),
                answerer: LinkAnswerer(bench.server, isForAdministrators: forAdministrators),
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

    private func locctl(_ arguments: String...) async throws -> (code: Int32, output: String, errors: String) {
        try await blocking {
            let child = try LoggedProcess(Products.command, ["web"] + arguments)
            let code = try child.wait(within: 60)
            return (code, child.output, child.errors)
        }
    }

    @Test(arguments: [false, true])
    func linkOpensThePagesAsWhoAsked(isForAdministrators: Bool) async throws {
        try await serve(forAdministrators: isForAdministrators, user: 61_234) { bench, path in
            let answer = try await locctl("--web-socket", path)
            #expect(answer.code == 0 && answer.errors.isEmpty)
            let link = try #require(answer.output.split(separator: "\n").first)
            #expect(answer.output == "\(link)\n" && link.hasPrefix("http://\(bench.host)/open?token="))
            let opened = try await bench.request("GET", String(link.dropFirst("http://\(bench.host)".count)))
            #expect(opened.status == 303)
            let cookie = try #require(opened.header("set-cookie")?.split(separator: ";").first)
            let session = try await bench.request("GET", "/session", ["Cookie: \(cookie)"]).body
            #expect(
                session.contains(#""uid":61234"#) && session.contains(#""isAdministrator":\#(isForAdministrators)"#))
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

    @Test(.enabled(if: OtherUser.canBeBecome)) func kernelSaysWhoAsks() async throws {
        try await serve(forAdministrators: false) { bench, path in
            let folder = bench.folder
            let command = try Products.copied(to: folder).command
            let child = try await ChildProcess(
                "setpriv", OtherUser.stranger.command + [command, "web", "--print", "--web-socket", path]
            ).outcome()
            let link = try #require(child.output.firstMatch(of: /\/open\?token=[0-9a-f]+/)).output
            // Opened by another user's browser, it is the session of who asked.
            let opened = try await bench.request("GET", String(link))
            let cookie = try #require(opened.header("set-cookie")?.split(separator: ";").first)
            #expect(try await bench.request("GET", "/session", ["Cookie: \(cookie)"]).body.contains(#""uid":61234"#))
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
        try await eventually("it is asked") { silent.callCount == 1 }
        try silent.answerAll("{\"parameters\":{\"link\":1}}\0")
        try await eventually("it ends") { child.exitCode != nil }
        #expect(child.exitCode == 1 && child.output.isEmpty && child.errors.hasPrefix("locctl: "))
    }
}
