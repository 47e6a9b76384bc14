import Foundation
import Glibc
import Logging
import ProgramTestSupport
import ServiceServer
import Testing

@testable import WebService

/// What `locctl web` hands to a desktop: a file that its user alone can read, never the link.
@Suite(.serialized, .timeLimit(.minutes(10)), .enabled(if: OtherUser.canBeBecome))
struct DesktopFileTests {
    /// Runs `locctl web` on a terminal of another user with a desktop, whose opener writes what it is given.
    ///
    /// - Parameters:
    ///   - runtime: the permissions of the user's runtime directory; `nil` if there is none.
    ///   - body: is given the bench, what the terminal shows, and what the opener was given; `nil` if it was not
    ///     started.
    private func run(
        runtime: Int? = 0o700, owner: UInt32 = OtherUser.stranger.number, flags: [String] = [],
        prepare: (TemporaryFolder) throws -> Void = { _ in }, _ body: (WebBench, String, String?) async throws -> Void
    ) async throws {
        try await WebBench.run { bench in
            let folder = bench.folder
            let links = try await CallServer(
                socket: .bind(path: folder("web.sock"), mode: 0o666, group: nil), limits: CallLimits(),
                answerer: LinkAnswerer(bench.server, isForAdministrators: false, administersByItself: true),
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            try folder.makeFolder("opened", owner: OtherUser.stranger.number)
            try folder.makeFolder("bin")
            try folder.write(
                """
                #!/bin/sh
                tr '\\0' '\\n' </proc/$$/cmdline >\(folder("opened"))/words
                printf '%s\\n' "$@" >\(folder("opened"))/arguments
                """, to: "bin/xdg-open")
            chmod(folder("bin/xdg-open"), 0o755)
            var environment = ["DISPLAY=:99", "PATH=\(folder("bin")):/usr/bin:/bin", "XDG_RUNTIME_DIR="]
            if let runtime {
                try folder.makeFolder("runtime", owner: owner)
                chmod(folder("runtime"), mode_t(runtime))
                try prepare(folder)
                environment[2] = "XDG_RUNTIME_DIR=\(folder("runtime"))"
            }
            let command = try Products.copied(to: folder).command
            let terminal = AssistantProcess.python(
                "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))",
                [command, "web", "--web-socket", folder("web.sock")] + flags)
            let shown = try await ChildProcess("env", environment + ["setpriv"] + OtherUser.stranger.command + terminal)
                .outcome()
            await links.stop()
            #expect(shown.code == 0, "\(shown.output)")
            let arguments = text(of: folder("opened/arguments"))
            #expect(!(arguments + text(of: folder("opened/words"))).contains("token="), "others read the link")
            try await body(bench, shown.output, arguments.isEmpty ? nil : String(arguments.dropLast()))
        }
    }

    @Test func desktopIsGivenAFileOfTheUsersAlone() async throws {
        try await run { bench, shown, file in
            let file = try #require(file, "\(shown)")
            let name = try #require(file.wholeMatch(of: /(\/.*)\/(locctl-web-[0-9a-f]{16,32}\.html)/))
            #expect(name.1 == bench.folder("runtime"))
            var entry = stat()
            #expect(lstat(file, &entry) == 0)
            #expect(entry.st_mode == S_IFREG | 0o600 && entry.st_uid == OtherUser.stranger.number)
            let link = try #require(shown.firstMatch(of: /http:\/\/\S+\/open\?token=[0-9a-f]{64}/)).output
            let content = text(of: file)
            #expect(content.contains(#"<meta http-equiv="refresh" content="0; url=\#(link)">"#), "\(content)")
        }
    }

    /// Where others may read or write, and where there is no such directory, the link is printed alone.
    @Test(arguments: [nil, (0o755, 61_234), (0o770, 61_234), (0o777, 0), (0o700, 0)] as [(Int, UInt32)?])
    func withoutADirectoryOfTheUsersAloneTheLinkIsPrinted(runtime: (mode: Int, owner: UInt32)?) async throws {
        try await run(runtime: runtime?.mode, owner: runtime?.owner ?? 0) { bench, shown, file in
            #expect(file == nil && shown.contains("/open?token="), "\(shown)")
            if runtime != nil {
                let names = try FileManager.default.contentsOfDirectory(atPath: bench.folder("runtime"))
                #expect(names.isEmpty)
            }
        }
    }

    @Test func filesOfEarlierLinksAreRemoved() async throws {
        let prepare = { (folder: TemporaryFolder) throws -> Void in
            for name in ["locctl-web-1.html", "locctl-web-2.html", "other.html", "locctl-web-3.txt"] {
                try folder.write("", to: "runtime/\(name)")
                guard name != "locctl-web-2.html" else { continue }
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSinceNow: -3600)], ofItemAtPath: folder("runtime/\(name)"))
            }
        }
        try await run(prepare: prepare) { bench, _, file in
            let names = try FileManager.default.contentsOfDirectory(atPath: bench.folder("runtime"))
            let new = (try #require(file) as NSString).lastPathComponent
            #expect(Set(names) == ["locctl-web-2.html", "other.html", "locctl-web-3.txt", new])
        }
    }

    @Test func printingOnlyWritesNoFile() async throws {
        try await run(flags: ["--print"]) { bench, shown, file in
            #expect(file == nil && shown.contains("/open?token="))
            let names = try FileManager.default.contentsOfDirectory(atPath: bench.folder("runtime"))
            #expect(names.isEmpty)
        }
    }
}
