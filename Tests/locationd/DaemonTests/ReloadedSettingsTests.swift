import Authorization
import DaemonConfiguration
import Foundation
import LocationServer
import ProgramTestSupport
import ServiceKit
import Testing

@testable import locationd

/// What a reload says that it has changed is changed.
struct ReloadedSettingsTests {
    /// A value that is not the default, whichever kind and range the key has.
    private static let values = ["7", "61", "1500", "\"x\""]

    private static let keys = Configuration.keys.filter { key in
        key.isReloadable
            && (["delivery", "limits"].contains(key.table) || key.table == "privacy" && key.name == "reduced-interval")
    }

    private func settings(_ text: String, in directory: TemporaryFolder) throws -> ServerSettings {
        let path = directory("locationd.toml")
        try Data(text.utf8).write(to: URL(filePath: path))
        let configuration = try Configuration.load(path: path, environment: [:])
        return configuration.serverSettings(version: "1", capacity: 100_000, policy: PolicyFile.Contents())
    }

    @Test(arguments: keys) func keyReachesTheRunningServer(_ key: KeyDocumentation) throws {
        let directory = try TemporaryFolder()
        let before = try settings("", in: directory)
        let changed = Self.values.lazy.compactMap { value in
            try? settings("[\(key.table)]\n\(key.name) = \(value)\n", in: directory)
        }
        let new = try #require(changed.first, "none of the values is one of \(key.name)")
        var running = before
        running.reload(new)
        #expect(String(reflecting: running) != String(reflecting: before), "\(key.name) is not taken over")
    }

    @Test func thereAreSuchKeys() {
        #expect(Self.keys.count > 10)
    }

    @Test func whatIsFixedAtTheStartStays() throws {
        let directory = try TemporaryFolder()
        var running = try settings("", in: directory)
        running.kernelReportsUnits = false
        running.summaryInterval = 1
        running.version = "2"
        let group = running.policy.group
        var new = try settings("[limits]\nclients = 7\n", in: directory)
        new.policy = AccessPolicy(daemonUID: 12_345, group: 12_345, groupName: "other", rules: [])
        running.reload(new)
        #expect(!running.kernelReportsUnits && running.summaryInterval == 1 && running.version == "2")
        #expect(running.policy.group == group && running.clientLimit == 7)
    }
}
