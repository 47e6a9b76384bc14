import ArgumentParser
import Authorization
import ProgramTestSupport
import ServiceKit
import Testing

@testable import DaemonConfiguration

/// The manual pages list every key and flag, with range and default, and none that does not exist.
@Suite struct ManualTests {
    @Test func everyKeyIsListedAndNoOther() throws {
        #expect(try ManualPage("locationd.toml.5").mistakes(about: Configuration.keys) == [])
        #expect(try ManualPage("locationd-policy.toml.5").mistakes(about: PolicyFile.keys) == [])
    }

    @Test func examplesAreValid() throws {
        let examples = try ManualPage("locationd.toml.5").examples
        #expect(examples.count == 2)
        for example in examples { #expect(try configuration(of: example).sources.count > 1, "\(example)") }
        let policies = try ManualPage("locationd-policy.toml.5").examples
        #expect(try policies.map { try rules(of: $0).count } == [3, 1, 1, 0, 0])
        #expect(try policies.compactMap { try ceiling(of: $0)?.level } == [.restricted, .authorizedWhenInUse])
    }

    @Test func everyFlagIsListedAndNoOther() throws {
        let page = try ManualPage("locationd.8")
        #expect(page.mistakes(aboutFlagsInHelp: Flags.helpMessage(columns: 400)) == [])
    }
}
