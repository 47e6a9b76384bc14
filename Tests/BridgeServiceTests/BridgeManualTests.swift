import ArgumentParser
import StrictTOML
import TestSupport
import Testing

@testable import locationd_bridge

/// The manual pages of the bridge list every key and flag, with range and default, and none that does not exist.
@Suite struct BridgeManualTests {
    @Test func everyKeyIsListedAndNoOther() throws {
        let page = try ManualPage("locationd-bridge.toml.5")
        #expect(page.mistakes(about: BridgeConfiguration.keys, isReadAgain: false) == [])
    }

    @Test func examplesAreValid() throws {
        let examples = try ManualPage("locationd-bridge.toml.5").examples
        #expect(!examples.isEmpty)
        for example in examples { #expect(try bridgeConfiguration(of: example).gpsd.listen.count == 2) }
    }

    @Test func everyFlagIsListedAndNoOther() throws {
        let items = try ManualPage("locationd-bridge.8").items(under: "OPTIONS")
        let listed = items.compactMap { item in item.words(after: "Fl")?.first.map { ("-\($0)", item.head) } }
        let flags = ListedFlag.all(inHelp: BridgeFlags.helpMessage(columns: 400))
        #expect(listed.map(\.0).sorted() == flags.map(\.name).sorted())
        for (name, head) in listed {
            #expect(head.contains(" Ar ") == flags.first { $0.name == name }?.hasValue, "\(head)")
        }
    }
}
