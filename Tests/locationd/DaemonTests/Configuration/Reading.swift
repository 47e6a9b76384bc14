import Foundation
import ServiceKit
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
