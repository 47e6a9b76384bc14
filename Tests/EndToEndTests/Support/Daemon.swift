import Foundation
import Glibc
import LocationInterface
import LocationKit
import TestSupport

/// A locationd of the test's own, with its sockets, state and configuration in a temporary folder.
final class Daemon {
    let folder: TemporaryFolder
    private(set) var process: Child
    private let flags: [String]
    private let user: OtherUser?

    var runtime: String { folder.file("run") }
    var state: String { folder.file("state") }
    var configuration: String { folder.file("locationd.toml") }
    var socket: String { runtime + "/" + SocketName.location }
    var control: String { runtime + "/" + SocketName.control }
    /// What the running process has logged.
    var log: String { process.errors }

    /// Starts it and waits until it listens.
    /// - Parameter user: who runs it instead of who runs the tests.
    init(
        _ configuration: String = "", flags: [String] = [], in folder: TemporaryFolder? = nil, as user: OtherUser? = nil
    ) throws {
        self.folder = try folder ?? TemporaryFolder()
        self.flags = flags
        self.user = user
        try self.folder.write(configuration, to: "locationd.toml")
        if let user { for name in ["run", "state"] { _ = try self.folder.folder(name, owner: user.number) } }
        process = try Self.start(self.folder, flags, user)
        try awaitListening()
    }

    deinit {
        process.signal(SIGTERM)
        _ = try? process.wait(within: 10)
    }

    /// The flags that keep it inside its folder.
    static func flags(in folder: TemporaryFolder) -> [String] {
        [
            "--config", folder.file("locationd.toml"), "--runtime-directory", folder.file("run"),
            "--state-directory", folder.file("state"),
        ]
    }

    /// Asks it to end, and waits until it has.
    /// - Returns: its exit code.
    @discardableResult
    func stop() throws -> Int32 {
        process.signal(SIGTERM)
        return try process.wait(within: 15)
    }

    /// Ends it without a chance to say good-bye.
    func kill() throws {
        process.signal(SIGKILL)
        _ = try process.wait(within: 30)
    }

    /// Starts it again where it was.
    func start() throws {
        process = try Self.start(folder, flags, user)
        try awaitListening()
    }

    func reconfigure(_ text: String) throws {
        try folder.write(text, to: "locationd.toml")
    }

    /// Waits for a line of the log.
    func awaitLog(_ words: String, within seconds: Double = 30) throws {
        try eventually("the log says \"\(words)\"", within: seconds, details: { log }) { log.contains(words) }
    }

    /// Memory that is its own, in bytes.
    var residentBytes: Int {
        let line = text(of: "/proc/\(process.pid)/status").split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return (line?.split { !$0.isNumber }.first).flatMap { Int($0) }.map { $0 * 1024 } ?? 0
    }

    private func awaitListening() throws {
        try eventually("locationd listens", details: { log }) {
            if let code = process.exitCode { throw Failure("locationd ended with \(code): \(log)") }
            return log.contains("listening")
        }
    }

    private static func start(_ folder: TemporaryFolder, _ flags: [String], _ user: OtherUser?) throws -> Child {
        let flags = Self.flags(in: folder) + flags
        guard let user else { return try Child(Products.daemon, flags) }
        return try Child("setpriv", user.command + [try Products.copied(to: folder).daemon] + flags)
    }
}

/// Configurations for tests: what takes seconds by default takes as little as may be.
enum Settings {
    static let quick = "[delivery]\nstale-after = 0.5\nlinger = 0.5\nfailover-hysteresis = 0\n"

    static func gpsd(_ port: UInt16) -> String {
        quick + "[[sources]]\nkind = \"gpsd\"\nport = \(port)\nsilence-timeout = 5\n"
    }

    /// The Eiffel Tower, which stays where it is.
    static let fixed = quick + "[[sources]]\nkind = \"static\"\nlatitude = 48.8584\nlongitude = 2.2945\naltitude = 35\n"

    /// A journey from Quito, heading wherever chance leads.
    static func simulator(rate: Int = 5) -> String {
        quick + "[[sources]]\nkind = \"simulator\"\nrate = \(rate)\nlatitude = -0.22\nlongitude = -78.5125\n"
    }
}
