import Foundation
@_spi(Programs) import LocationModel
import ProgramTestSupport
import Testing

@testable import LocationServer
@testable import locationd

/// The message at login says how many requests wait, to administrators alone.
@Suite(.timeLimit(.minutes(10))) struct LoginMessageTests {
    private let folder: TemporaryFolder
    private let script: String

    init() throws {
        folder = try TemporaryFolder()
        script = Repository.root.appending(path: "config/profile.d/locationd.sh").path
    }

    /// What the shell of a user in these groups prints at login, with a systemd that has the daemon's status.
    private func message(
        waiting: Int, reason: String? = nil, state: String = "active", groups: String = "users sudo",
        options: String = "-i", shell: String = "/bin/sh"
    ) async throws -> String {
        var status = SourceStatus(state: .unavailable)
        status.reason = reason
        let line = ServiceSummary(
            status: ServiceStatus(authorization: .authorizedAlways, accuracy: .full, enabled: true, source: status),
            location: nil, clients: 3, waitingRequests: waiting
        ).line
        try write("systemctl", "printf '%s\\n' 'StatusText=\(line)' 'ActiveState=\(state)'")
        try write("id", "echo '\(groups)'")
        // Without a terminal an interactive shell complains, but to its standard error alone.
        let child = try ChildProcess(
            "/usr/bin/env",
            [
                "PATH=\(folder.path):/usr/bin:/bin", "HOME=\(folder.path)", "setsid", "--wait", "/bin/sh", "-c",
                #""$@" 2>/dev/null"#, "-", shell, options, script,
            ])
        return try await child.outcome().output
    }

    private func write(_ name: String, _ command: String) throws {
        try "#!/bin/sh\n\(command)\n".write(toFile: folder(name), atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder(name))
    }

    @Test(arguments: ["/bin/sh", "/bin/bash"])
    func administratorIsToldWhatWaits(shell: String) async throws {
        let one = try await message(waiting: 1, shell: shell)
        #expect(one == "locationd: 1 request for authorization waits; `sudo locctl authorizations` lists what waits\n")
        let many = try await message(waiting: 12, reason: "nothing listens", shell: shell)
        #expect(many.hasPrefix("locationd: 12 requests for authorization wait;"))
    }

    @Test func nobodyIsToldNothing() async throws {
        #expect(try await message(waiting: 0).isEmpty)
        let forged = try await message(waiting: 0, reason: "x; 7 requests for authorization wait")
        #expect(forged.isEmpty, "what a source says is no count")
        #expect(try await message(waiting: 2, state: "inactive").isEmpty, "the status is of a service that has ended")
        #expect(try await message(waiting: 2, groups: "users sudoers").isEmpty, "no administrator")
        #expect(try await message(waiting: 2, options: "-e").isEmpty, "a script's shell")
    }
}
