import Authorization
import Foundation
import ProgramTestSupport
import ServiceKit
import Testing

@testable import DaemonConfiguration

@Suite struct PolicyFileTests {
    let directory: TemporaryFolder

    init() throws { directory = try TemporaryFolder() }

    private func load(_ path: String? = nil, daemonUID: uid_t = geteuid()) throws -> PolicyFile.Contents {
        try PolicyFile(path: path, beside: directory.path + "/locationd.toml")
            .load(names: FakeNames(), kernelReportsUnits: true, daemonUID: daemonUID)
    }

    private func message(_ path: String? = nil, daemonUID: uid_t = geteuid()) throws -> String {
        let error = #expect(throws: ConfigurationError.self) { try load(path, daemonUID: daemonUID) }
        return try #require(error).description
    }

    /// Writes a rule about one user, or about everyone.
    @discardableResult
    private func write(_ uid: Int?, to name: String) throws -> String {
        let path = try directory.write(
            "[[rules]]\n\(uid.map { "user = \($0)" } ?? "everyone = true")\nauthorization = \"ask\"\n", to: name)
        try #require(chmod(path, 0o644) == 0)
        let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
        try #require(chmod(parent, 0o755) == 0)
        return path
    }

    @Test func filesHaveTheirPlaceBesideTheConfiguration() {
        #expect(PolicyFile(path: nil, beside: nil).path == "/etc/locationd/policy.toml")
        #expect(PolicyFile(path: nil, beside: "/srv/l.toml").path == "/srv/policy.toml")
        #expect(PolicyFile(path: nil, beside: "l.toml").path == "policy.toml")
        #expect(PolicyFile(path: "/a/b.toml", beside: "/srv/l.toml").path == "/a/b.toml")
    }

    @Test func noFileIsNoRules() throws {
        #expect(try load() == PolicyFile.Contents())
    }

    @Test func theFileComesBeforeTheDropInsInTheOrderOfTheirNames() throws {
        let files = [
            try write(2, to: "policy.d/10.toml"), try write(3, to: "policy.d/20.toml"),
            try write(4, to: "policy.d/Z.toml"), try write(5, to: "policy.d/a.toml"),
        ]
        #expect(try load().rules.map(\.match) == [.uid(2), .uid(3), .uid(4), .uid(5)])
        let main = try write(1, to: "policy.toml")
        try directory.write("not read", to: "policy.d/.hidden.toml")
        try directory.write("not read", to: "policy.d/30.toml.bak")
        let contents = try load()
        #expect(contents.rules.map(\.match) == [.uid(1), .uid(2), .uid(3), .uid(4), .uid(5)])
        #expect(contents.files == [main] + files)
        #expect(contents.rules.map(\.origin) == contents.files.map { "\($0):1" })
    }

    @Test func whatIsDecidedInOneFileMayBeSaidAgainInAnother() throws {
        try write(nil, to: "policy.toml")
        try write(nil, to: "policy.d/a.toml")
        try write(1, to: "policy.d/b.toml")
        #expect(try load().rules.map(\.match) == [.everyone, .everyone, .uid(1)])
    }

    @Test func namedFileTakesTheDropInsBesideItself() throws {
        try write(1, to: "policy.toml")
        try write(2, to: "policy.d/a.toml")
        let path = try write(3, to: "other/mine.toml")
        try write(4, to: "other/policy.d/a.toml")
        #expect(try load(path).rules.map(\.match) == [.uid(3), .uid(4)])
    }

    @Test func missingNamedFileIsAnError() throws {
        let path = directory.path + "/absent.toml"
        #expect(try message(path) == "\(path): does not exist; check the path after --policy")
    }

    @Test func mistakeInAnyFileFailsAll() throws {
        try write(1, to: "policy.toml")
        let path = try write(2, to: "policy.d/a.toml")
        try directory.write("[[rules]]\nusr = 1", to: "policy.d/a.toml")
        #expect(try message().hasPrefix("\(path):2: rules[0].usr: unknown key"))
    }

    @Test func linksThatLeadNowhereAreErrors() throws {
        let main = directory.path + "/policy.toml"
        try FileManager.default.createSymbolicLink(atPath: main, withDestinationPath: "/nonexistent")
        #expect(try message() == "\(main): is a dangling link; repair or remove the link")
        try FileManager.default.removeItem(atPath: main)
        let directories = directory.path + "/policy.d"
        try FileManager.default.createSymbolicLink(atPath: directories, withDestinationPath: "/nonexistent")
        #expect(try message().hasPrefix("\(directories): cannot be opened: No such file or directory"))
        try FileManager.default.removeItem(atPath: directories)
        try write(1, to: "policy.d/a.toml")
        let dropIn = directories + "/b.toml"
        try FileManager.default.createSymbolicLink(atPath: dropIn, withDestinationPath: "/nonexistent")
        #expect(try message() == "\(dropIn): is a dangling link; repair or remove the link")
    }

    @Test func dropInsInAFileAreAnError() throws {
        let path = try write(1, to: "policy.d")
        #expect(
            try message()
                == "\(path): cannot be opened: Not a directory; make it a directory that the daemon's user can read")
    }

    @Test(arguments: ["policy.toml", "policy.d/a.toml", "policy.d"])
    func whatOthersMayChangeIsRefused(_ name: String) throws {
        try write(1, to: "policy.toml")
        try write(2, to: "policy.d/a.toml")
        let path = "\(directory.path)/\(name)"
        for (mode, who) in [(0o775, "its group"), (0o757, "everyone"), (0o777, "its group and everyone")] {
            #expect(chmod(path, mode_t(mode)) == 0)
            #expect(
                try message() == "\(path): may be changed by \(who), who could let anyone know the position; "
                    + "run chmod go-w on it")
        }
        #expect(chmod(path, 0o755) == 0)
        #expect(try load().rules.count == 2)
    }

    @Test(arguments: ["policy.toml", "policy.d/a.toml", "policy.d"])
    func whatBelongsToAnotherUserIsRefused(_ name: String) throws {
        try write(1, to: "policy.toml")
        try write(2, to: "policy.d/a.toml")
        // Only root can give a file away; anyone else is the other user.
        let owner = geteuid() == 0 ? 12345 : geteuid()
        let path = "\(directory.path)/\(name)"
        #expect(chown(path, owner, getegid()) == 0)
        let refusal = "belongs to uid \(owner), who could let anyone know the position; run chown root on it"
        #expect(try message(daemonUID: 54321).hasSuffix(": " + refusal))
        if geteuid() == 0 { #expect(try message(daemonUID: 54321) == "\(path): \(refusal)") }
        #expect(try load(daemonUID: owner).rules.count == 2)
    }
}
