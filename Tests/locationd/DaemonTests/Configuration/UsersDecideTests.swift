import Authorization
@_spi(Programs) import LocationModel
import ProgramTestSupport
import ServiceKit
import Testing

@testable import DaemonConfiguration

/// The table `[users-decide]` of the policy.
@Suite struct UsersDecideTests {
    @Test func withoutTheTableUsersDecideNothing() throws {
        #expect(try ceiling(of: "[[rules]]\nuser = 7\nauthorization = \"ask\"") == nil)
    }

    @Test func emptyTableHasTheDefaults() throws {
        #expect(
            try ceiling(of: "# a comment\n[users-decide]")
                == UserCeiling(.everyone, .authorizedWhenInUse, origin: "policy.toml:2"))
    }

    @Test func everyKeyIsTakenOver() throws {
        let text = """
            [users-decide]
            group = "gps"
            authorization = "authorizedAlways"
            accuracy = "reduced"
            longest = 3600
            """
        #expect(
            try ceiling(of: text)
                == UserCeiling(
                    .group(101), .authorizedAlways, accuracy: .reduced, longest: 3600, origin: "policy.toml:1"))
        #expect(try ceiling(of: "[users-decide]\nuser = \"alice\"")?.match == .uid(1001))
        #expect(try ceiling(of: "[users-decide]\nuser = 1003\nauthorization = \"restricted\"")?.level == .restricted)
        // Beside the rules, which do not mind.
        #expect(try rules(of: text + "\n[[rules]]\neveryone = true\nauthorization = \"ask\"").count == 1)
    }

    @Test(arguments: [
        (
            "[users-decide]\nuser = 1\ngroup = 2",
            "1: users-decide: has user and group, but it is about one of them; "
                + "remove one, or write a file for each in policy.d"
        ),
        (
            "[users-decide]\nauthorisation = \"authorizedAlways\"",
            "2: users-decide.authorisation: unknown key; "
                + "did you mean authorization?"
        ),
        (
            "[users-decide]\nauthorization = \"restricted\"\nlongest = 60",
            "3: users-decide.longest: "
                + "has no effect beside restricted; remove it"
        ),
        (
            "[users-decide]\nuser = \"carol\"",
            "2: users-decide.user: the system has no user \"carol\"; "
                + "correct the name or remove the rule"
        ),
        (
            "[users-decide]\nlongest = 59",
            "2: users-decide.longest: 59 is out of range; use a number from 60 to 31536000 (seconds)"
        ),
        (
            "[[users-decide]]\nuser = 7",
            "1: users-decide: is a list, not a table; write its keys below a line [users-decide]"
        ),
    ])
    func everyMistakeIsReportedWhereItIs(text: String, message: String) {
        let error = #expect(throws: ConfigurationError.self) { try ceiling(of: text) }
        #expect(error?.description == "policy.toml:" + message)
    }

    @Test func firstFileThatMatchesApplies() throws {
        let folder = try TemporaryFolder()
        let main = try folder.write("[users-decide]\nuser = 1003\nauthorization = \"restricted\"\n", to: "policy.toml")
        _ = try folder.makeFolder("policy.d")
        try folder.write("[users-decide]\n", to: "policy.d/50-locationd-agent.toml")
        let contents = try PolicyFile(path: main, beside: nil).load(names: FakeNames(), kernelReportsUnits: true)
        #expect(contents.ceilings.map(\.level) == [.restricted, .authorizedWhenInUse])
        #expect(contents.ceilings.map(\.match) == [.uid(1003), .everyone])
        #expect(contents.rules.isEmpty)
        var other = contents
        other.ceilings.removeLast()
        #expect(!other.isEquivalent(to: contents) && contents.isEquivalent(to: contents))
    }
}
