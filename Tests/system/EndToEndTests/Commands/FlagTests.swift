import ClientTestSupport
import Foundation
@_spi(Programs) import LocationInterface
@_spi(Programs) import LocationKit
import ProgramTestSupport
import Testing

/// The daemon's command line: what it says, and what it ends with.
@Suite(.onOwnThread, .timeLimit(.minutes(10)))
struct FlagTests {
    private func run(_ flags: String...) throws -> DaemonProcess.Answer {
        let child = try LoggedProcess(Products.daemon, flags)
        let code = try child.wait()
        return .init(code: code, output: child.output, errors: child.errors)
    }

    @Test func helpNamesEveryFlag() throws {
        let answer = try run("--help")
        #expect(answer.code == 0 && answer.errors.isEmpty)
        for flag in ["--config", "--check-config", "--runtime-directory", "--state-directory", "--gpsd", "--replay"] {
            #expect(answer.output.contains(flag))
        }
    }

    @Test(arguments: [
        "locationd", "locctl", "locationd-agent", "locationd-bridge", "locationd-nearby", "locationd-places",
    ])
    func helpHasNoBackslash(program: String) throws {
        let child = try LoggedProcess(Products.path(of: program), ["--help"])
        #expect(try child.wait() == 0)
        #expect(child.output.contains("--help") && !child.output.contains(#"\"#), "\(child.output)")
    }

    @Test func versionIsOneLine() throws {
        let answer = try run("--version")
        #expect(answer.code == 0 && answer.errors.isEmpty)
        #expect(answer.output.wholeMatch(of: /locationd [0-9]+\.[0-9]+\.[0-9]+\n/) != nil)
    }

    @Test func goodConfigurationIsConfirmed() throws {
        let folder = try TemporaryFolder()
        let answer = try run("--config", folder.write(Settings.simulator(), to: "good.toml"), "--check-config")
        #expect(answer.code == 0 && answer.errors.isEmpty)
        #expect(answer.lines.count == 1)
    }

    @Test(arguments: [
        ("[limits]\n\nclinets = 4\n", ":3: limits.clinets"),
        ("[service\n", ":1"),
    ])
    func mistakeIsOneLineWithItsPlace(text: String, place: String) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(text, to: "bad.toml")
        let answer = try run("--config", path, "--check-config")
        #expect(answer.code == 2 && answer.output.isEmpty)
        #expect(answer.errors.hasPrefix("locationd: \(path)\(place)"), "\(answer.errors)")
        #expect(answer.errors.split(separator: "\n").count == 1)
        // The daemon itself does not start with it either.
        #expect(try run("--config", path, "--runtime-directory", folder("run")).code == 2)
        #expect(!FileManager.default.fileExists(atPath: folder("run")))
    }

    @Test(arguments: [["--simulat"], ["--gpsd"], ["--gpsd", "::1:x"], ["--simulate", "--gpsd", "a:1"], ["file"]])
    func wrongFlagIsOneLineThatHelps(flags: [String]) throws {
        let child = try LoggedProcess(Products.daemon, flags)
        #expect(try child.wait() == 2)
        #expect(child.output.isEmpty && child.errors.split(separator: "\n").count == 1)
        #expect(
            child.errors.hasPrefix("locationd: ") && child.errors.contains("ee locationd --help"), "\(child.errors)")
    }

    @Test(.enabled(if: OtherUser.canBeBecome), arguments: ["runtime", "state"])
    func unusableDirectoryIsToldWithTheNextStep(name: String) throws {
        let folder = try TemporaryFolder()
        let programs = try Products.copied(to: folder)
        let user = OtherUser.stranger
        for other in ["runtime", "state"] { _ = try folder.makeFolder(other, owner: other == name ? 0 : user.number) }
        let child = try LoggedProcess(
            "setpriv",
            user.command + [
                programs.daemon, "--simulate", "--runtime-directory", folder("runtime"), "--state-directory",
                folder("state"),
            ])
        #expect(try child.wait() == 1)
        #expect(child.errors.contains("cannot write to the directory \(folder(name)): Permission denied"))
        #expect(child.errors.contains("choose another by --\(name)-directory"))
        #expect(child.errors.split(separator: "\n").count == 1)
    }

    @Test(.enabled(if: OtherUser.canBeBecome)) func ordinaryUserRunsItInDirectoriesOfTheirOwn() throws {
        let folder = try TemporaryFolder()
        let programs = try Products.copied(to: folder)
        let user = OtherUser.stranger
        let home = try folder.makeFolder("home", owner: user.number)
        let daemon = try LoggedProcess(
            "setpriv",
            user.command + [
                programs.daemon, "--simulate", "--runtime-directory", home + "/run", "--state-directory",
                home + "/state",
            ])
        try waitUntil("it listens", details: { daemon.errors }) { daemon.errors.contains("listening") }
        let command = try LoggedProcess(
            "setpriv", user.command + [programs.command, "get", "--json", "--socket", home + "/run/control.sock"])
        #expect(try command.wait() == 0, "\(command.errors)")
        #expect((try json(command.output)["source"] as? [String: Any])?["isSimulated"] as? Bool == true)
        daemon.signal(SIGTERM)
        #expect(try daemon.wait() == 0)
        let owner = try FileManager.default.attributesOfItem(atPath: home + "/state/state.json")[.ownerAccountID]
        #expect((owner as? NSNumber)?.uint32Value == user.number)
    }

    @Test func pathsMayBeRelative() throws {
        let folder = try TemporaryFolder()
        try folder.write(Settings.simulator(), to: "a.toml")
        let daemon = try LoggedProcess(
            "--chdir=\(folder.path)",
            [Products.daemon, "--config", "a.toml", "--runtime-directory", "run", "--state-directory", "./state"])
        try waitUntil("it listens", details: { daemon.errors }) { daemon.errors.contains("listening") }
        let command = try LoggedProcess(Products.command, ["get", "--socket", folder("run/locationd.sock")])
        #expect(try command.wait() == 0, "\(command.errors)")
        daemon.signal(SIGTERM)
        #expect(try daemon.wait() == 0)
        #expect(text(of: folder("state/state.json")).contains("\"lastLocation\""))
    }

    @Test func recordingIsPlayedBackAndMarked() throws {
        let recorder = try DaemonProcess(Settings.simulator(rate: 10))
        let file = recorder.folder("journey.jsonl")
        #expect(try recorder.locctl("record", file, "--count", "10").code == 0)
        let player = try DaemonProcess(Settings.quick, flags: ["--replay", file])
        let watch = try player.watch()
        try watch.awaitStatus(.tracking)
        let location = try watch.awaitLocation()
        #expect(location.source == SourceInformation(name: "replay", method: .replayed, isSimulated: true))
        try watch.wait("the end is told") { $0.status?.reason?.contains("has ended") == true }
        let recorded = recordedLocations(in: file)
        #expect(recorded.count == 10)
        #expect(watch.locations.map(\.coordinate) == recorded.map(\.coordinate))
        #expect(watch.locations.map(\.timestamp) == recorded.map(\.timestamp))
    }
}
