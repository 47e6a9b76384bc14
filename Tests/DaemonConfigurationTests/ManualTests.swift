import ArgumentParser
import StrictTOML
import TestSupport
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
        #expect(try policies.map { try rules(of: $0).count } == [3, 1, 1])
    }

    @Test func everyFlagIsListedAndNoOther() throws {
        let items = try ManualPage("locationd.8").items(under: "OPTIONS")
        let listed = items.compactMap { $0.words(after: "Fl")?.first.map { "-\($0)" } }
        let flags = ListedFlag.all(inHelp: Flags.helpMessage(columns: 400))
        #expect(listed.sorted() == flags.map(\.name).sorted())
        for item in items {
            let name = "-" + item.head.split(separator: " ")[1]
            #expect(item.head.contains(" Ar ") == flags.first { $0.name == name }?.hasValue, "\(item.head)")
        }
    }
}
