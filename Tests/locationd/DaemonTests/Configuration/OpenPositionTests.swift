import Foundation
import ProgramTestSupport
import Testing

@testable import DaemonConfiguration

/// Where a machine stands is not for everybody to read.
struct OpenPositionTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func write(_ text: String, to name: String, mode: Int) throws -> String {
        let path = folder(name)
        try FileManager.default.createDirectory(
            atPath: URL(filePath: path).deletingLastPathComponent().path, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    private static let fixed = "[[sources]]\nkind = \"static\"\nlatitude = 48.8584\nlongitude = 2.2945\n"

    @Test func fileThatEverybodyMayReadIsTold() throws {
        let main = try write(Self.fixed, to: "locationd.toml", mode: 0o644)
        #expect(Configuration.openPositions(path: main) == [main])
        _ = try write(Self.fixed, to: "locationd.toml", mode: 0o640)
        #expect(Configuration.openPositions(path: main) == [])
        let other = try write(Self.fixed, to: "conf.d/position.toml", mode: 0o644)
        #expect(Configuration.openPositions(path: main) == [other])
    }

    @Test func fileWithoutAPositionIsNoMatter() throws {
        let main = try write("[[sources]]\nkind = \"simulator\"\n", to: "locationd.toml", mode: 0o644)
        #expect(Configuration.openPositions(path: main) == [])
        #expect(Configuration.openPositions(path: folder("missing.toml")) == [])
    }
}
