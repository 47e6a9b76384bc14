import ArgumentParser
import Foundation
import LocationModel
import StrictTOML
import TestSupport
import Testing

@testable import locationd_fleet

/// The manual pages and the shipped configuration list every key and flag, with range and default, and none that does not
/// exist.
@Suite struct FleetManualTests {
    @Test func everyKeyIsListedAndNoOther() throws {
        let page = try ManualPage("locationd-fleet.toml.5")
        #expect(page.mistakes(about: FleetConfiguration.keys, isReadAgain: false) == [])
    }

    @Test func examplesAreValid() throws {
        let examples = try ManualPage("locationd-fleet.toml.5").examples
        #expect(!examples.isEmpty)
        for example in examples { _ = try fleetConfiguration(of: example).device() }
    }

    @Test func everyFlagIsListedAndNoOther() throws {
        let items = try ManualPage("locationd-fleet.8").items(under: "OPTIONS")
        let listed = items.compactMap { item in item.words(after: "Fl")?.first.map { ("-\($0)", item.head) } }
        let flags = ListedFlag.all(inHelp: FleetFlags.helpMessage(columns: 400))
        #expect(listed.map(\.0).sorted() == flags.map(\.name).sorted())
        for (name, head) in listed {
            #expect(head.contains(" Ar ") == flags.first { $0.name == name }?.hasValue, "\(head)")
        }
    }

    /// The shipped file documents the code: its commented lines are the defaults, and no key is missing.
    @Test func shippedFileIsTheDefaults() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: "config/fleet.toml"), encoding: .utf8)
        #expect(try fleetConfiguration(of: text) == FleetConfiguration())
        let lines = text.split(separator: "\n").map { line in
            line.hasPrefix("#") && line.dropFirst().first.map { $0.isLetter || $0 == "[" } == true
                ? line.dropFirst() : line
        }
        var uncommented = try fleetConfiguration(of: lines.joined(separator: "\n"))
        // The region is an example; there is none by default.
        #expect(uncommented.regions.map(\.identifier) == ["harbour"])
        uncommented.regions = []
        #expect(uncommented == FleetConfiguration())
        var table = Substring()
        var written: [String] = []
        for line in lines where !line.hasPrefix("#") {
            if line.hasPrefix("[") { table = line } else { written.append("\(table) \(line)") }
        }
        #expect(
            written.filter { !$0.hasPrefix("[[") }
                == FleetConfiguration.keys.filter { !$0.isInList }.map {
                    "[\($0.table)] \($0.name) = \($0.defaultValue ?? "")"
                })
        #expect(written.count == FleetConfiguration.keys.count)
    }
}
