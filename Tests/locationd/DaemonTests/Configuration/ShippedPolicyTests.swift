import Authorization
import Foundation
import ProgramTestSupport
import ServiceKit
import Testing

@testable import DaemonConfiguration

/// The shipped policy documents the code: it has no rule, its examples are rules, and no key is missing.
@Suite struct ShippedPolicyTests {
    let root: URL
    let text: String

    init() throws {
        root = Repository.root
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

    /// What the packages of the programs around the daemon bring: each user may call for others, and one may know the position.
    @Test(arguments: [
        ("bridge", PolicyRule.Outcome.restricted), ("geoclue", .restricted), ("web", .restricted),
        ("history", .authorizedAlways),
    ])
    func programsHaveARuleOfTheirOwn(name: String, outcome: PolicyRule.Outcome) throws {
        let file = root.appendingPathComponent("config/policy.d/50-locationd-\(name).toml")
        let document = try Document(String(contentsOf: file, encoding: .utf8), origin: "rule.toml")
        let found = try PolicyReader(
            document: document, names: FakeNames(users: ["locationd-\(name)": 990]), kernelReportsUnits: false
        ).read()
        #expect(found.map(\.match) == [.uid(990)] && found.map(\.outcome) == [outcome])
        #expect(found.map(\.mayServeOthers) == [true])
        // The package makes the user that the rule and the unit name.
        let users = try String(
            contentsOf: root.appendingPathComponent("systemd/locationd-\(name).sysusers"), encoding: .utf8)
        #expect(users.contains("u     locationd-\(name) "))
        let unit = try String(
            contentsOf: root.appendingPathComponent("systemd/locationd-\(name).service"), encoding: .utf8)
        #expect(unit.contains("\nUser=locationd-\(name)\nGroup=locationd-\(name)\n"))
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
