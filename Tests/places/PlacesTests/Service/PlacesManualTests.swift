import ArgumentParser
import ProgramTestSupport
import ServiceKit
import Testing

@testable import locationd_places

/// The manual pages of the places service list every key and flag, with range and default, and none that does not
/// exist.
@Suite struct PlacesManualTests {
    @Test func everyKeyIsListedAndNoOther() throws {
        let page = try ManualPage("locationd-places.toml.5")
        // The service lives for a minute and reads nothing again.
        #expect(page.mistakes(about: PlacesConfiguration.keys, isReadAgain: false) == [])
    }

    @Test func examplesAreValid() throws {
        let examples = try ManualPage("locationd-places.toml.5").examples
        for example in examples { #expect(try placesConfiguration(of: example).online?.provider == .photon) }
    }

    @Test func everyFlagIsListedAndNoOther() throws {
        let page = try ManualPage("locationd-places.8")
        #expect(page.mistakes(aboutFlagsInHelp: PlacesFlags.helpMessage(columns: 400)) == [])
    }
}
