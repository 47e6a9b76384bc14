import ArgumentParser
import ProgramTestSupport
import ServiceKit
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
        let page = try ManualPage("locationd-bridge.8")
        #expect(page.mistakes(aboutFlagsInHelp: BridgeFlags.helpMessage(columns: 400)) == [])
    }
}
