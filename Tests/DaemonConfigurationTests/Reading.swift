import Foundation
import StrictTOML
import Testing

@testable import DaemonConfiguration

/// What a text says on top of the defaults.
func configuration(of text: String) throws(ConfigurationError) -> Configuration {
    var configuration = Configuration()
    try configuration.apply(Document(text, origin: "locationd.toml"))
    return configuration
}

/// What is wrong with a text; records an issue where nothing is.
func configurationMistake(in text: String, _ location: SourceLocation = #_sourceLocation) -> ConfigurationError? {
    do {
        let accepted = try configuration(of: text)
        Issue.record("accepted as \(accepted)", sourceLocation: location)
        return nil
    } catch {
        return error
    }
}

/// A directory of its own that goes when it is no longer used.
final class TemporaryDirectory {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "locationd-configuration-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file below the directory and returns its path.
    @discardableResult
    func write(_ text: String, to name: String) throws -> String { try write(Data(text.utf8), to: name) }

    @discardableResult
    func write(_ data: Data, to name: String) throws -> String {
        let file = URL(fileURLWithPath: path).appendingPathComponent(name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: file)
        return file.path
    }
}
