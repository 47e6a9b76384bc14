import ArgumentParser
import Delivery
import Foundation
@_spi(Programs) import LocationModel
import ProgramTestSupport
import ServiceKit
import Testing

@testable import locationd_fleet

/// The manual pages and the shipped configuration list every key and flag, with range and default, and none that does
/// not exist.
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
        let page = try ManualPage("locationd-fleet.8")
        #expect(page.mistakes(aboutFlagsInHelp: FleetFlags.helpMessage(columns: 400)) == [])
    }

    @Test func everyMetricIsListedAndNoOther() throws {
        var state = HTTPDelivery.State()
        state.lastDelivery = UTCTime(seconds: 0)
        let families = FleetFigures().families(
            nil, isConnected: true, destinations: [("home", state)], now: UTCTime(seconds: 0))
        #expect(try ManualPage("locationd-fleet.8").mistakes(about: families) == [])
    }

    /// The shipped file documents the code: its commented lines are the defaults, and no key is missing.
    @Test func shippedFileIsTheDefaults() throws {
        let file = try ShippedFile(Repository.root.appending(path: "config/fleet.toml"))
        #expect(try fleetConfiguration(of: file.text) == FleetConfiguration())
        var uncommented = try fleetConfiguration(of: file.uncommented)
        // The region is an example; there is none by default.
        #expect(uncommented.regions.map(\.identifier) == ["harbour"])
        #expect(uncommented.destinations.map(\.name) == ["home"])
        (uncommented.regions, uncommented.destinations) = ([], [])
        #expect(uncommented == FleetConfiguration())
        #expect(
            file.keys.filter { !$0.hasPrefix("[[") }
                == FleetConfiguration.keys.filter { !$0.isInList }.map {
                    "[\($0.table)] \($0.name) = \($0.defaultValue ?? "")"
                })
        #expect(file.keys.count == FleetConfiguration.keys.count)
    }
}
