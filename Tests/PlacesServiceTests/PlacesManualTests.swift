import ArgumentParser
import StrictTOML
import TestSupport
import Testing

@testable import locationd_places

/// The manual pages of the places service list every key and flag, with range and default, and none that does not exist.
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
        let items = try ManualPage("locationd-places.8").items(under: "OPTIONS")
        let listed = items.compactMap { item in item.words(after: "Fl")?.first.map { ("-\($0)", item.head) } }
        let flags = ListedFlag.all(inHelp: PlacesFlags.helpMessage(columns: 400))
        #expect(listed.map(\.0).sorted() == flags.map(\.name).sorted())
        for (name, head) in listed {
            #expect(head.contains(" Ar ") == flags.first { $0.name == name }?.hasValue, "\(head)")
        }
    }
}
