import Authorization
@_spi(Programs) import LocationModel
import ServiceKit
import Testing

@testable import DaemonConfiguration

@Suite struct PolicyRuleTests {
    @Test func noTextIsNoRules() throws {
        #expect(try rules(of: "# nothing") == [])
    }

    @Test func everyKeyIsTakenOverWithTheLineOfTheHeader() throws {
        let text = """
            # a comment
            [[rules]]
            user = "alice"
            authorization = "authorizedWhenInUse"
            accuracy = "reduced"
            minimum-interval = 0.5

            [[rules]]
            authorization = "authorizedAlways"
            on-behalf-of = true
            user = "bob"
            [[rules]]
            authorization = "authorizedAlways"
            group = "gps"
            [[rules]]
            unit = "navigator.service"
            authorization = "ask"
            minimum-interval = 86400
            [[rules]]
            everyone = true
            authorization = "restricted"
            """
        let expected = [
            PolicyRule(
                .uid(1001), .authorizedWhenInUse, accuracy: .reduced, minimumInterval: 0.5, origin: "policy.toml:2"),
            PolicyRule(.uid(1003), .authorizedAlways, mayServeOthers: true, origin: "policy.toml:8"),
            PolicyRule(.group(101), .authorizedAlways, origin: "policy.toml:12"),
            PolicyRule(.unit("navigator.service"), .ask, minimumInterval: 86400, origin: "policy.toml:15"),
            PolicyRule(.everyone, .restricted, origin: "policy.toml:19"),
        ]
        #expect(try rules(of: text) == expected)
    }

    @Test func tablesInBracesAreRulesToo() throws {
        let text = """
            rules = [
              { user = "alice", authorization = "ask" },
              { user = "bob", authorization = "ask" },
            ]
            """
        #expect(try rules(of: text).map(\.origin) == ["policy.toml:2", "policy.toml:3"])
    }

    @Test(arguments: [
        ("user = \"root\"", PolicyRule.Match.uid(0)), ("user = 0", .uid(0)), ("user = \"0\"", .uid(0)),
        ("user = 4294967294", .uid(4_294_967_294)), ("user = \"4242\"", .uid(4242)), ("group = 0x10", .group(16)),
        ("group = \"101\"", .group(101)), ("group = 1_000", .group(1000)),
        (#"unit = 'srv-\x2d@one:a_b.service'"#, .unit(#"srv-\x2d@one:a_b.service"#)),
    ])
    func numbersAndNamesAreUnderstood(_ line: String, _ match: PolicyRule.Match) throws {
        #expect(try rules(of: "[[rules]]\n\(line)\nauthorization = \"ask\"").map(\.match) == [match])
    }

    @Test func rulesThatGiveAUnitSomethingAreKeptWhereUnitsAreNotTold() throws {
        for outcome in ["authorizedAlways", "authorizedWhenInUse"] {
            let text = "[[rules]]\nunit = \"a.service\"\nauthorization = \"\(outcome)\""
            #expect(try rules(of: text, kernelReportsUnits: false).map(\.match) == [.unit("a.service")])
        }
    }

    @Test func rightToServeOthersStandsBesideAnyAuthorization() throws {
        for (line, unit) in [("user = \"alice\"", false), ("unit = \"portal.service\"", true)] {
            for outcome in PolicyRule.Outcome.allCases {
                let text = "[[rules]]\n\(line)\nauthorization = \"\(outcome.rawValue)\"\non-behalf-of = "
                #expect(try rules(of: text + "true").map(\.mayServeOthers) == [true], "\(outcome) \(unit)")
                #expect(try rules(of: text + "false").map(\.mayServeOthers) == [false])
            }
        }
    }

    @Test(arguments: PolicyFile.keys)
    func everyKeyIsDescribed(_ key: KeyDocumentation) {
        #expect(key.heading == (key.table == "rules" ? "[[rules]]" : "[users-decide]"))
        #expect(key.meaning.hasSuffix("."))
        #expect(!key.accepts.isEmpty)
        #expect(key.isRequired == (key.heading == "[[rules]]" && key.name == "authorization"))
        var defaults = ["accuracy": "\"full\"", "on-behalf-of": "false"]
        if key.table == "users-decide" { defaults["authorization"] = "\"authorizedWhenInUse\"" }
        #expect(key.defaultValue == defaults[key.name])
    }
}
