import StrictTOML
import TestSupport
import Testing

@testable import Configuration

/// The manual pages list every key and flag, with range and default, and none that does not exist.
@Suite struct ManualTests {
    private func heading(of key: KeyDocumentation) -> String {
        key.heading + (key.kind.map { " of kind \($0)" } ?? "")
    }

    private static let pages = [
        "locationd.toml.5": Configuration.keys, "locationd-policy.toml.5": PolicyFile.keys,
        "locationd-places.toml.5": PlacesConfiguration.keys,
    ]

    @Test(arguments: pages.keys) func everyKeyIsListedAndNoOther(page: String) throws {
        let keys = try #require(Self.pages[page])
        let manual = try ManualPage(page)
        let listed = manual.items.compactMap { item in
            item.words(after: "Ic").map { "\(item.heading) \($0.joined(separator: " "))" }
        }
        #expect(listed == keys.map { "\(heading(of: $0)) \($0.name)" })
        for (key, item) in zip(keys, manual.items.filter { $0.words(after: "Ic") != nil }) {
            let text = item.text.joined(separator: "\n").replacing(#"\-"#, with: "-")
            if let value = key.defaultValue { #expect(text.contains("Default: \(value)."), "\(key.name): \(text)") }
            #expect(text.contains("Required") == key.isRequired, "\(key.name)")
            // The places service lives for a minute and reads nothing again.
            #expect(
                (key.isReloadable || page.contains("places")) == !text.contains("the daemon's next start"),
                "\(key.name)")
            if let range = key.accepts.firstMatch(of: /from ([-0-9.]+) to ([-0-9.]+)/)?.output, range.2.count < 19 {
                #expect(text.contains("\(range.1) to \(range.2)"), "\(key.name) is \(key.accepts)")
            }
        }
    }

    @Test func examplesAreValid() throws {
        let examples = try ManualPage("locationd.toml.5").examples
        #expect(examples.count == 2)
        for example in examples { #expect(try configuration(of: example).sources.count > 1, "\(example)") }
        for example in try ManualPage("locationd-places.toml.5").examples {
            #expect(try placesConfiguration(of: example).online?.provider == .photon)
        }
        let policies = try ManualPage("locationd-policy.toml.5").examples
        #expect(try policies.map { try rules(of: $0).count } == [3, 1])
    }

    @Test func everyFlagOfThePlacesIsListedAndNoOther() throws {
        let items = try ManualPage("locationd-places.8").items(under: "OPTIONS")
        let listed = items.compactMap { item in item.words(after: "Fl")?.first.map { ("-\($0)", item.head) } }
        #expect(listed.map(\.0).sorted() == PlacesFlags.all.map(\.name).sorted())
        for (name, head) in listed {
            let flag = PlacesFlags.all.first { $0.name == name }
            #expect(head.contains(" Ar ") == (flag?.placeholder != nil), "\(head)")
        }
    }

    @Test func everyFlagIsListedAndNoOther() throws {
        let items = try ManualPage("locationd.8").items(under: "OPTIONS")
        let listed = items.compactMap { $0.words(after: "Fl")?.first.map { "-\($0)" } }
        #expect(listed.sorted() == FlagName.allCases.map(\.flag).sorted())
        for item in items {
            let name = FlagName(rawValue: String(item.head.split(separator: " ")[1].dropFirst()))
            #expect(item.head.contains(" Ar ") == (name?.placeholder != nil), "\(item.head)")
        }
    }
}
