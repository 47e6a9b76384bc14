import Authorization
import Foundation
import StrictTOML
import Testing

@testable import DaemonConfiguration

/// The shipped policy documents the code: it has no rule, its examples are rules, and no key is missing.
@Suite struct ShippedPolicyTests {
    let text: String

    init() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        text = try String(contentsOf: root.appendingPathComponent("config/policy.toml"), encoding: .utf8)
    }

    /// What is said about each key, from its name to the next one.
    private var descriptions: [Substring: String] {
        var found: [Substring: String] = [:]
        var name: Substring?
        for line in text.split(separator: "\n") {
            guard line.hasPrefix("#   "), !line.hasPrefix("#     ") || name != nil else {
                name = line == "#" ? name : nil
                continue
            }
            if !line.hasPrefix("#    ") { name = line.dropFirst(4).prefix { $0 != " " } }
            if let name { found[name, default: ""] += line.dropFirst(4) + "\n" }
        }
        return found
    }

    @Test func asShippedItHasNoRules() throws {
        #expect(try rules(of: text) == [])
    }

    @Test func examplesAreRulesAndUseEveryKey() throws {
        let lines = text.split(separator: "# Examples.").last?.split(separator: "\n") ?? []
        let examples = lines.filter { $0.hasPrefix("#     ") }.map { $0.dropFirst(6) }.joined(separator: "\n")
        let found = try rules(of: examples)
        #expect(
            found.map(\.match)
                == [
                    .uid(1001), .unit("navigator.service"), .uid(990), .group(101), .bridge(.nmea), .uid(991),
                    .group(100), .everyone,
                ])
        #expect(
            found.map(\.outcome)
                == [
                    .authorizedAlways, .authorizedAlways, .authorizedAlways, .authorizedWhenInUse, .authorizedAlways,
                    .restricted, .restricted, .ask,
                ])
        for key in PolicyFile.keys { #expect(examples.contains("\n\(key.name) = ")) }
    }

    @Test(arguments: PolicyFile.keys)
    func everyKeyIsDescribedWithItsDefault(_ key: KeyDocumentation) throws {
        let description = try #require(descriptions[key.name[...]])
        #expect(description.contains("Required") == key.isRequired)
        if let value = key.defaultValue { #expect(description.contains("Default: \(value).")) }
        if key.name == "minimum-interval" { #expect(description.contains("Seconds, 0 to 86400:")) }
        // Every word the key takes is explained.
        let words = key.accepts.split(separator: "one of ").last?.split(separator: ", ") ?? []
        for word in words where word.hasPrefix("\"") { #expect(description.contains(word)) }
    }

    @Test func everyDescribedKeyExists() {
        let names = Set(PolicyFile.keys.map(\.name))
        #expect(Set(descriptions.keys.map(String.init)).subtracting(names).isSubset(of: ["1.", "2.", "always"]))
    }
}
