import Authorization
import Foundation
@_spi(Programs) import LocationModel
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

    /// What is said about each key of a table, from its name to the next one.
    private func descriptions(of table: String) -> [Substring: String] {
        let parts = text.split(separator: "# Users decide about their own programs")
        return Self.descriptions(in: parts[table == PolicyFile.usersDecide ? 1 : 0])
    }

    private static func descriptions(in text: Substring) -> [Substring: String] {
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

    /// What the packages of the programs around the daemon bring: each user may call for others, and one may know the
    /// position.
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
        #expect(try ceiling(of: text) == nil)
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
        #expect(
            try ceiling(of: examples)
                == UserCeiling(
                    .group(100), .authorizedAlways, accuracy: .reduced, longest: 86400, origin: "policy.toml:30"))
        for key in PolicyFile.keys where (key.table, key.name) != (PolicyFile.usersDecide, "user") {
            let table = examples.split(separator: "[users-decide]")[key.table == PolicyFile.usersDecide ? 1 : 0]
            #expect(table.contains("\n\(key.name) = "))
        }
    }

    @Test(arguments: PolicyFile.keys)
    func everyKeyIsDescribedWithItsDefault(_ key: KeyDocumentation) throws {
        let description = try #require(descriptions(of: key.table)[key.name[...]])
        #expect(description.contains("Required") == key.isRequired)
        if let value = key.defaultValue { #expect(description.contains("Default: \(value).")) }
        let ranges = ["minimum-interval": "0 to 86400", "longest": "60 to 31536000"]
        if let range = ranges[key.name] { #expect(description.contains("Seconds, \(range):")) }
        // Every word the key takes is explained.
        let words = key.accepts.split(separator: "one of ").last?.split(separator: ", ") ?? []
        for word in words where word.hasPrefix("\"") { #expect(description.contains(word)) }
    }

    @Test func everyDescribedKeyExists() {
        for table in [PolicyFile.list, PolicyFile.usersDecide] {
            let names = Set(PolicyFile.keys.filter { $0.table == table }.map(\.name))
            let described = Set(descriptions(of: table).keys.map(String.init))
            #expect(described.subtracting(names).isSubset(of: ["1.", "2.", "always"]), "\(table)")
        }
    }
}
